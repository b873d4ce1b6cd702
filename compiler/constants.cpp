#include "compiler/constants.h"

#include <algorithm>
#include <limits>

#include "compiler/rule_checker.h"

namespace attrib::compiler {

using model::Constant;
using model::ValueKind;

std::optional<Constant> literal_value(const dsl::Expr& e) {
  if (const auto* name = std::get_if<dsl::NameExpr>(&e.node)) {
    std::string text;
    for (const dsl::Name& part : name->parts) text += (text.empty() ? "" : ".") + part.text;
    return model::text_constant(text);
  }
  if (const auto* unary = std::get_if<dsl::UnaryExpr>(&e.node)) {
    if (!unary->negate || !std::holds_alternative<dsl::Literal>(unary->operand->node)) return {};
    auto value = literal_value(*unary->operand);
    if (!value || value->kind == ValueKind::String || value->kind == ValueKind::Truth) return {};
    if (value->number != std::numeric_limits<std::int64_t>::min()) value->number = -value->number;
    return value;
  }
  const auto* literal = std::get_if<dsl::Literal>(&e.node);
  if (literal == nullptr) return std::nullopt;
  switch (literal->kind) {
    case dsl::LiteralKind::Int:
    case dsl::LiteralKind::Size:
      return model::int_constant(literal->number);
    case dsl::LiteralKind::Decimal:
      return model::decimal_constant(literal->number);
    case dsl::LiteralKind::Text:
      return model::text_constant(literal->text);
    case dsl::LiteralKind::Truth:
      return model::truth_constant(literal->number != 0);
    case dsl::LiteralKind::Duration:
      return model::duration_constant(literal->number);
  }
  return std::nullopt;
}

std::optional<Constant> fit_constant(const model::Type& type, const Constant& value) {
  if (type.kind == ValueKind::Decimal && value.kind == ValueKind::Int) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 1'000'000;
    return model::decimal_constant(std::clamp(value.number, -kMost, kMost) * 1'000'000);
  }
  if (type.kind == ValueKind::Entity) {
    if (value.kind == ValueKind::Int) {
      return model::read_value(type, model::Reader::Entity, std::to_string(value.number));
    }
    if (value.kind != ValueKind::String) return std::nullopt;
    return model::read_value(type, model::Reader::Entity, value.text);
  }
  if (value.kind != type.kind) return std::nullopt;
  if (type.kind == ValueKind::Int && !in_range(type, value.number)) return std::nullopt;
  if (type.kind == ValueKind::String) {
    if (!type.words.empty() &&
        std::find(type.words.begin(), type.words.end(), value.text) == type.words.end()) {
      return std::nullopt;
    }
    // Readers bring some texts (a PCI address) to one form.
    if (type.reader == model::Reader::Pci) return model::read_value(type, type.reader, value.text);
  }
  return value;
}

std::optional<Constant> read_cell(const model::Type& type, std::string_view text) {
  if (auto value = model::read_strict(type, text)) return value;
  if (type.kind == ValueKind::Int && (text.starts_with("0x") || text.starts_with("0X"))) {
    const model::Type hex{ValueKind::Int, model::Reader::Hex, model::EntityKind::Node, {}};
    auto value = model::read_strict(hex, text);
    if (value && in_range(type, value->number)) return value;
  }
  // A bits32 column of a data file may be written without 0x.
  if (type.reader == model::Reader::Bits32 && !text.empty() &&
      text.find_first_not_of("0123456789") == std::string_view::npos) {
    const model::Type dec{ValueKind::Int, model::Reader::U32, model::EntityKind::Node, {}};
    return model::read_strict(dec, text);
  }
  // A word column takes any text: its cells are compared as wholes.
  if (type.kind == ValueKind::String && type.words.empty() && type.reader != model::Reader::Pci) {
    return model::text_constant(std::string(text));
  }
  return std::nullopt;
}

}  // namespace attrib::compiler
