#include "vm/operations.h"

#include <limits>

namespace attrib::vm {

using model::Compare;
using model::Truth;
using model::ValueKind;

namespace {

bool is_number(const Value& v) {
  return v.is(ValueKind::Int) || v.is(ValueKind::Duration) || v.is(ValueKind::Decimal);
}

std::strong_ordering order_of_int_and_decimal(std::int64_t whole, std::int64_t millionths) {
  std::int64_t scaled = 0;
  if (__builtin_mul_overflow(whole, std::int64_t{1'000'000}, &scaled)) {
    return whole < 0 ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  return scaled <=> millionths;
}

std::optional<std::strong_ordering> order_of(const Value& a, const Value& b,
                                             const TextPool& texts) {
  if (a.kind == b.kind) {
    if (is_number(a)) return a.number <=> b.number;
    if (a.is(ValueKind::String)) {
      if (a.number == b.number) return std::strong_ordering::equal;
      return texts.text(a.number) <=> texts.text(b.number);
    }
    const auto unknown = static_cast<std::int64_t>(Truth::Unknown);
    if (a.is(ValueKind::Truth) && a.number != unknown && b.number != unknown) {
      return a.number <=> b.number;
    }
    return std::nullopt;
  }
  if (a.is(ValueKind::Int) && b.is(ValueKind::Decimal)) {
    return order_of_int_and_decimal(a.number, b.number);
  }
  if (a.is(ValueKind::Decimal) && b.is(ValueKind::Int)) {
    return 0 <=> order_of_int_and_decimal(b.number, a.number);
  }
  if (is_number(a) && is_number(b)) return a.number <=> b.number;
  return std::nullopt;
}

Truth holds(Compare op, std::strong_ordering order) {
  switch (op) {
    case Compare::Equal:
      return model::truth(order == 0);
    case Compare::NotEqual:
      return model::truth(order != 0);
    case Compare::Less:
      return model::truth(order < 0);
    case Compare::LessEqual:
      return model::truth(order <= 0);
    case Compare::Greater:
      return model::truth(order > 0);
    case Compare::GreaterEqual:
      return model::truth(order >= 0);
  }
  return Truth::Unknown;
}

Truth compare_entities(Compare op, EntityId a, EntityId b, const EntityTable& entities) {
  if (!entities.known(a) || !entities.known(b)) return Truth::Unknown;
  if (op == Compare::Equal) return model::truth(a == b);
  return op == Compare::NotEqual ? model::truth(a != b) : Truth::Unknown;
}

std::int64_t saturated(std::int64_t a, std::int64_t b, bool minus) {
  std::int64_t out = 0;
  const bool over = minus ? __builtin_sub_overflow(a, b, &out) : __builtin_add_overflow(a, b, &out);
  if (!over) return out;
  return a < 0 ? std::numeric_limits<std::int64_t>::min()
               : std::numeric_limits<std::int64_t>::max();
}

Value combine(const Value& a, const Value& b, bool minus) {
  if (a.kind != b.kind || !is_number(a)) return {};
  if (a.is(ValueKind::Duration)) {
    return {a.kind,
            minus ? model::sub_nanos(a.number, b.number) : model::add_nanos(a.number, b.number)};
  }
  return {a.kind, saturated(a.number, b.number, minus)};
}

}  // namespace

Truth compare(Compare op, const Value& a, const Value& b, const EntityTable& entities,
              const TextPool& texts) {
  if (a.is(ValueKind::Entity) && b.is(ValueKind::Entity)) {
    return compare_entities(op, a.entity(), b.entity(), entities);
  }
  const auto order = order_of(a, b, texts);
  return order ? holds(op, *order) : Truth::Unknown;
}

// Yes if every pair of possible numbers satisfies it, No if none does.
Truth compare(Compare op, const Count& a, const Count& b) {
  const auto yes_no = [](bool yes, bool no) {
    return yes ? Truth::Yes : no ? Truth::No : Truth::Unknown;
  };
  const bool apart = a.hi < b.lo || b.hi < a.lo;
  const bool same = a.lo == a.hi && b.lo == b.hi && a.lo == b.lo;
  switch (op) {
    case Compare::Equal:
      return yes_no(same, apart);
    case Compare::NotEqual:
      return yes_no(apart, same);
    case Compare::Less:
      return yes_no(a.hi < b.lo, a.lo >= b.hi);
    case Compare::LessEqual:
      return yes_no(a.hi <= b.lo, a.lo > b.hi);
    case Compare::Greater:
      return yes_no(a.lo > b.hi, a.hi <= b.lo);
    case Compare::GreaterEqual:
      return yes_no(a.lo >= b.hi, a.hi < b.lo);
  }
  return Truth::Unknown;
}

Value add(const Value& a, const Value& b) { return combine(a, b, false); }
Value subtract(const Value& a, const Value& b) { return combine(a, b, true); }

Value negate(const Value& a) {
  if (!is_number(a)) return {};
  return combine({a.kind, 0}, a, true);
}

Truth text_test(model::TextTest test, const std::string& text, const std::string& part) {
  switch (test) {
    case model::TextTest::Contains:
      return model::truth(text.find(part) != std::string::npos);
    case model::TextTest::StartsWith:
      return model::truth(text.starts_with(part));
    case model::TextTest::EndsWith:
      return model::truth(text.ends_with(part));
  }
  return Truth::Unknown;
}

}  // namespace attrib::vm
