#include "program/operand_kinds.h"

namespace attrib::program {
namespace {

using model::ValueKind;

constexpr unsigned bit(ValueKind kind) { return 1U << static_cast<unsigned>(kind); }

// The kinds of value that a register operand may hold.
constexpr unsigned accepted(OperandKind operand) {
  switch (operand) {
    case OperandKind::OutAny:
    case OperandKind::InAny:
      return (bit(ValueKind::Bag) << 1U) - 1 -
             (bit(ValueKind::Fact) | bit(ValueKind::Bag) | bit(ValueKind::Null));
    case OperandKind::OutTruth:
    case OperandKind::InTruth:
      return bit(ValueKind::Truth);
    case OperandKind::OutInt:
    case OperandKind::InInt:
      return bit(ValueKind::Int);
    case OperandKind::OutString:
    case OperandKind::InString:
      return bit(ValueKind::String);
    case OperandKind::OutDecimal:
      return bit(ValueKind::Decimal);
    case OperandKind::InDuration:
      return bit(ValueKind::Duration);
    case OperandKind::OutMoment:
    case OperandKind::InMoment:
      return bit(ValueKind::Moment);
    case OperandKind::OutEntity:
    case OperandKind::InEntity:
      return bit(ValueKind::Entity);
    case OperandKind::OutSet:
    case OperandKind::InSet:
      return bit(ValueKind::Set);
    case OperandKind::OutRow:
    case OperandKind::InRow:
      return bit(ValueKind::Row);
    case OperandKind::OutCount:
      return bit(ValueKind::Count);
    case OperandKind::OutBag:
    case OperandKind::InBag:
      return bit(ValueKind::Bag);
    case OperandKind::Fact:
    case OperandKind::NewFact:
      return bit(ValueKind::Fact);
    default:
      return 0;
  }
}

// Where an operation may stand when not everywhere.
constexpr unsigned bit(RuleKind kind) { return 1U << static_cast<unsigned>(kind); }
constexpr unsigned kExtract = bit(RuleKind::Extract);
constexpr unsigned kDecode = bit(RuleKind::Decode);
constexpr unsigned kInfer = bit(RuleKind::Infer);
constexpr unsigned kDemote = bit(RuleKind::Demote);
constexpr unsigned kOutcome = bit(RuleKind::Outcome);
constexpr unsigned kAmbiguous = bit(RuleKind::Ambiguous);
constexpr unsigned kEverywhere = 0x3f;

constexpr unsigned where_allowed(Opcode op) {
  switch (op) {
    case Opcode::OpenEvents:
    case Opcode::OpenEventsKeyed:
      return kDecode | kInfer | kOutcome;
    case Opcode::OpenSymptoms:
    case Opcode::OpenKeyed:
      return kInfer | kOutcome | kDemote;
    case Opcode::OpenAny:
      return kOutcome | kDemote | kAmbiguous;
    case Opcode::OpenNear:
      return kInfer | kOutcome | kDemote;
    case Opcode::OpenNearAny:
      return kOutcome | kDemote;
    case Opcode::OpenMembers:
      return kEverywhere & ~kExtract;
    case Opcode::LoadHere:  // allowed() knows better.
    case Opcode::LoadCapture:
    case Opcode::LoadSeen:
    case Opcode::LoadMessage:
    case Opcode::MetricName:
    case Opcode::MetricValue:
    case Opcode::MetricRises:
    case Opcode::MetricLabel:
    case Opcode::RecordField:
    case Opcode::EmitEvent:
    case Opcode::Learn:
      return kExtract;
    case Opcode::Window:
    case Opcode::Edge:
      return kDemote;
    case Opcode::Tied:
    case Opcode::Related:
    case Opcode::SayText:
    case Opcode::SayValue:
    case Opcode::SayFact:
    case Opcode::SayDone:
      return kAmbiguous;
    case Opcode::EmitSymptom:
      return kDecode | kInfer | kOutcome;
    case Opcode::OutcomeIs:
      return kOutcome;
    default:
      return kEverywhere;
  }
}

}  // namespace

constinit const std::array<unsigned, kOperandKinds> kAccepted = [] {
  std::array<unsigned, kOperandKinds> out{};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = accepted(static_cast<OperandKind>(i));
  return out;
}();

constinit const std::array<std::uint8_t, 256> kWhereAllowed = [] {
  std::array<std::uint8_t, 256> out{};
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<std::uint8_t>(where_allowed(static_cast<Opcode>(i)));
  return out;
}();

bool is_number(ValueKind kind) {
  return kind == ValueKind::Int || kind == ValueKind::Duration || kind == ValueKind::Decimal;
}

bool is_scalar(ValueKind kind) {
  return is_number(kind) || kind == ValueKind::Truth || kind == ValueKind::String ||
         kind == ValueKind::Moment || kind == ValueKind::Entity;
}

bool comparable(ValueKind a, ValueKind b, model::Compare op) {
  const bool equality = op == model::Compare::Equal || op == model::Compare::NotEqual;
  if (a == ValueKind::Entity || b == ValueKind::Entity) return a == b && equality;
  if (a == b) return is_number(a) || a == ValueKind::String || a == ValueKind::Truth;
  const auto pair = [&](ValueKind x, ValueKind y) {
    return (a == x && b == y) || (a == y && b == x);
  };
  return pair(ValueKind::Int, ValueKind::Decimal) || pair(ValueKind::Int, ValueKind::Count);
}

bool adds(ValueKind a, ValueKind b, ValueKind sum) {
  if (a == ValueKind::Moment) return b == ValueKind::Duration && sum == ValueKind::Moment;
  return is_number(a) && a == b && sum == a;
}

}  // namespace attrib::program
