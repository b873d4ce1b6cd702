#include "tests/reference/value.h"

#include <fmt/format.h>

#include <limits>
#include <tuple>

namespace attrib::reference {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMillion = 1'000'000;

std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  if (b > 0 && a > kMost - b) return kMost;
  if (b < 0 && a < kLeast - b) return kLeast;
  return a + b;
}

// -1, 0, 1
int order(std::int64_t a, std::int64_t b) { return a < b ? -1 : a > b ? 1 : 0; }

// n against d millionths, without computing n * 1e6, which may not fit.
int order_int_decimal(std::int64_t n, std::int64_t d) {
  const std::int64_t whole = d / kMillion;
  if (n != whole) return order(n, whole);
  return order(0, d % kMillion);
}

Truth holds(int sign, model::Compare op) {
  switch (op) {
    case model::Compare::Equal:
      return model::truth(sign == 0);
    case model::Compare::NotEqual:
      return model::truth(sign != 0);
    case model::Compare::Less:
      return model::truth(sign < 0);
    case model::Compare::LessEqual:
      return model::truth(sign <= 0);
    case model::Compare::Greater:
      return model::truth(sign > 0);
    case model::Compare::GreaterEqual:
      return model::truth(sign >= 0);
  }
  return Truth::Unknown;
}

model::Compare swapped(model::Compare op) {
  switch (op) {
    case model::Compare::Less:
      return model::Compare::Greater;
    case model::Compare::LessEqual:
      return model::Compare::GreaterEqual;
    case model::Compare::Greater:
      return model::Compare::Less;
    case model::Compare::GreaterEqual:
      return model::Compare::LessEqual;
    default:
      return op;
  }
}

// Any n in [lo, hi] is possible: yes if it holds for all of them, no if for none. Every comparison
// with a number changes its answer only next to that number, so the ends and its neighbours say it
// all.
Truth compare_count(const Value& count, std::int64_t n, model::Compare op) {
  bool some = false;
  bool all = true;
  for (const std::int64_t v : {count.number, n - 1, n, n + 1, count.most}) {
    if (v < count.number || v > count.most) continue;
    const bool yes = holds(order(v, n), op) == Truth::Yes;
    some = some || yes;
    all = all && yes;
  }
  return all ? Truth::Yes : some ? Truth::Unknown : Truth::No;
}

bool is_number(ValueKind kind) {
  return kind == ValueKind::Int || kind == ValueKind::Duration || kind == ValueKind::Decimal;
}

}  // namespace

Value null_value() { return {}; }
Value truth_value(Truth t) {
  Value v;
  v.kind = ValueKind::Truth;
  v.number = static_cast<std::int64_t>(t);
  return v;
}
Value int_value(std::int64_t n) {
  Value v;
  v.kind = ValueKind::Int;
  v.number = n;
  return v;
}
Value string_value(std::string s) {
  Value v;
  v.kind = ValueKind::String;
  v.text = std::move(s);
  return v;
}
Value duration_value(Nanos n) {
  Value v;
  v.kind = ValueKind::Duration;
  v.number = n;
  return v;
}
Value decimal_value(std::int64_t millionths) {
  Value v;
  v.kind = ValueKind::Decimal;
  v.number = millionths;
  return v;
}
Value moment_value(const Moment& m) {
  Value v;
  v.kind = ValueKind::Moment;
  v.moment = m;
  return v;
}
Value entity_value(Entity e) {
  Value v;
  v.kind = ValueKind::Entity;
  v.entity = std::move(e);
  return v;
}
Value count_value(std::int64_t certain, std::int64_t possible_too) {
  Value v;
  v.kind = ValueKind::Count;
  v.number = certain;
  v.most = possible_too;
  return v;
}

Value value_of(const model::Constant& c) {
  Value v;
  v.kind = c.kind;
  v.number = c.number;
  v.text = c.text;
  return v;
}

Truth truth_of(const Value& v) {
  return v.kind == ValueKind::Truth ? static_cast<Truth>(v.number) : Truth::Unknown;
}

bool same(const Value& a, const Value& b) {
  return a.kind == b.kind && a.number == b.number && a.most == b.most && a.text == b.text &&
         a.entity == b.entity;
}

bool less(const Value& a, const Value& b) {
  return std::tie(a.kind, a.number, a.most, a.text, a.entity) <
         std::tie(b.kind, b.number, b.most, b.text, b.entity);
}

Truth compare(const Value& a, const Value& b, model::Compare op) {
  if (a.kind == ValueKind::Null || b.kind == ValueKind::Null) return Truth::Unknown;
  if (a.kind == ValueKind::Count && b.kind == ValueKind::Int) return compare_count(a, b.number, op);
  if (b.kind == ValueKind::Count) return compare(b, a, swapped(op));
  if (a.kind == ValueKind::Entity && b.kind == ValueKind::Entity) {
    if (a.entity.unknown || b.entity.unknown) return Truth::Unknown;
    if (op != model::Compare::Equal && op != model::Compare::NotEqual) return Truth::Unknown;
    return holds(a.entity == b.entity ? 0 : 1, op);
  }
  if (a.kind == ValueKind::Truth && b.kind == ValueKind::Truth) {
    if (truth_of(a) == Truth::Unknown || truth_of(b) == Truth::Unknown) return Truth::Unknown;
    return holds(order(a.number, b.number), op);
  }
  if (a.kind == ValueKind::String && b.kind == ValueKind::String) {
    const int sign = a.text.compare(b.text);
    return holds(sign, op);
  }
  if (a.kind == ValueKind::Int && b.kind == ValueKind::Decimal)
    return holds(order_int_decimal(a.number, b.number), op);
  if (a.kind == ValueKind::Decimal && b.kind == ValueKind::Int)
    return holds(-order_int_decimal(b.number, a.number), op);
  if (is_number(a.kind) && a.kind == b.kind) return holds(order(a.number, b.number), op);
  return Truth::Unknown;
}

Value add(const Value& a, const Value& b) {
  if (a.kind == ValueKind::Moment && b.kind == ValueKind::Duration) {
    if (!a.moment.known) return moment_value({});
    return moment_value(model::shifted(a.moment, b.number, b.number));
  }
  if (a.kind != b.kind || !is_number(a.kind)) return null_value();
  Value out = a;
  out.number = a.kind == ValueKind::Duration ? model::add_nanos(a.number, b.number)
                                             : saturating_add(a.number, b.number);
  return out;
}

Value subtract(const Value& a, const Value& b) {
  // The least number has no negative to add.
  if (b.kind == ValueKind::Int && b.number == kLeast)
    return add(add(a, int_value(kMost)), int_value(1));
  return add(a, negate(b));
}

Value negate(const Value& a) {
  if (!is_number(a.kind)) return null_value();
  Value out = a;
  out.number = a.number == kLeast ? kMost : -a.number;
  return out;
}

std::string text_of(const Entity& e) { return e.unknown ? "" : e.key; }

std::string text_of(const Value& v, model::Reader reader) {
  switch (v.kind) {
    case ValueKind::Entity:
      return text_of(v.entity);
    case ValueKind::Count:
      return v.number == v.most ? fmt::format("{}", v.number)
                                : fmt::format("{}..{}", v.number, v.most);
    default:
      return model::to_text({v.kind, v.number, v.text}, reader);
  }
}

}  // namespace attrib::reference
