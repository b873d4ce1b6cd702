#include "ruletest/values.h"

#include <algorithm>
#include <variant>

#include "model/value.h"

namespace attrib::ruletest {
namespace {

using dsl::Literal;
using dsl::LiteralKind;
using model::ValueKind;

constexpr std::int64_t kMillion = 1'000'000;

std::string node_free(const std::string& id) { return id.substr(id.find('/') + 1); }

std::string as_pci(const std::string& text) {
  return model::read_value(model::Reader::Pci, text).text;
}

bool same_text(const std::string& actual, const std::string& wanted) {
  if (actual == wanted || node_free(actual) == wanted) return true;
  const std::string address = as_pci(wanted);
  return !address.empty() && as_pci(node_free(actual)) == address;
}

bool same_decimal(std::int64_t millionths, const Literal& wanted) {
  if (wanted.kind == LiteralKind::Decimal) return millionths == wanted.number;
  return wanted.kind == LiteralKind::Int && millionths % kMillion == 0 &&
         millionths / kMillion == wanted.number;
}

}  // namespace

std::optional<Literal> plain_value(const dsl::Expr& expr) {
  if (const auto* literal = std::get_if<Literal>(&expr.node)) return *literal;
  if (const auto* name = std::get_if<dsl::NameExpr>(&expr.node)) {
    Literal word;
    word.kind = LiteralKind::Text;
    word.span = expr.span;
    for (const dsl::Name& part : name->parts)
      word.text += (word.text.empty() ? "" : ".") + part.text;
    return word;
  }
  const auto* unary = std::get_if<dsl::UnaryExpr>(&expr.node);
  if (unary == nullptr || !unary->negate) return std::nullopt;
  const auto* operand = std::get_if<Literal>(&unary->operand->node);
  if (operand == nullptr || operand->kind == LiteralKind::Text ||
      operand->kind == LiteralKind::Truth)
    return std::nullopt;
  Literal negative = *operand;
  negative.number = -negative.number;
  negative.text = "-" + negative.text;
  return negative;
}

std::string value_text(const Literal& value) { return value.text; }

bool has_value(const verdict::NamedField& field, const dsl::Expr& wanted) {
  const auto literal = plain_value(wanted);
  if (!literal) return false;
  const model::Constant& actual = field.value;
  switch (actual.kind) {
    case ValueKind::Truth:
      return literal->kind == LiteralKind::Truth && (actual.number == 2) == (literal->number == 1);
    case ValueKind::Int:
      return (literal->kind == LiteralKind::Int || literal->kind == LiteralKind::Size) &&
             actual.number == literal->number;
    case ValueKind::Duration:
      return literal->kind == LiteralKind::Duration && actual.number == literal->number;
    case ValueKind::Decimal:
      return same_decimal(actual.number, *literal);
    case ValueKind::String:
    case ValueKind::Entity:
      return same_text(actual.text, literal->text);
    default:
      return false;
  }
}

bool have_values(const std::vector<verdict::NamedField>& fields, const dsl::PairList& wanted) {
  return std::all_of(wanted.pairs.begin(), wanted.pairs.end(), [&](const dsl::Pair& pair) {
    return std::any_of(fields.begin(), fields.end(), [&](const verdict::NamedField& field) {
      return field.name == pair.name.text && pair.value && has_value(field, *pair.value);
    });
  });
}

std::string fields_text(const std::vector<verdict::NamedField>& fields) {
  std::string out;
  for (const verdict::NamedField& field : fields) {
    const bool text =
        field.value.kind == ValueKind::String || field.value.kind == ValueKind::Entity;
    const std::string value = model::to_text(field.value, field.reader);
    out += (out.empty() ? " " : ", ") + field.name + ": " + (text ? "\"" + value + "\"" : value);
  }
  return "{" + out + (out.empty() ? "}" : " }");
}

}  // namespace attrib::ruletest
