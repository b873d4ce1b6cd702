#include "compiler/sample_eval.h"

#include <algorithm>
#include <limits>

#include "model/truth.h"

namespace attrib::compiler {
namespace {

using model::Constant;
using model::Truth;
using model::ValueKind;

Constant truth(Truth value) { return {ValueKind::Truth, static_cast<std::int64_t>(value), {}}; }
Truth as_truth(const Constant& value) {
  return value.kind == ValueKind::Truth ? static_cast<Truth>(value.number) : Truth::Unknown;
}

__extension__ using Wide = __int128;

std::int64_t saturate(Wide value) {
  constexpr Wide kMost = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::clamp<Wide>(value, -kMost, kMost));
}

bool is_number(ValueKind kind) { return kind == ValueKind::Int || kind == ValueKind::Decimal; }

// -1, 0, 1.
int order(const Constant& a, const Constant& b) {
  if (a.kind == ValueKind::String && b.kind == ValueKind::String) {
    return a.text < b.text ? -1 : a.text == b.text ? 0 : 1;
  }
  const Wide l = static_cast<Wide>(a.number) * (a.kind == ValueKind::Int ? 1'000'000 : 1);
  const Wide r = static_cast<Wide>(b.number) * (b.kind == ValueKind::Int ? 1'000'000 : 1);
  return l < r ? -1 : l == r ? 0 : 1;
}

Truth compare(const Constant& a, const Constant& b, model::Compare op) {
  if (a.kind == ValueKind::Null || b.kind == ValueKind::Null) return Truth::Unknown;
  if (a.kind != b.kind && !(is_number(a.kind) && is_number(b.kind))) return Truth::Unknown;
  if (a.kind == ValueKind::Truth && (a.number == 1 || b.number == 1)) return Truth::Unknown;
  const int o = order(a, b);
  switch (op) {
    case model::Compare::Equal:
      return model::truth(o == 0);
    case model::Compare::NotEqual:
      return model::truth(o != 0);
    case model::Compare::Less:
      return model::truth(o < 0);
    case model::Compare::LessEqual:
      return model::truth(o <= 0);
    case model::Compare::Greater:
      return model::truth(o > 0);
    case model::Compare::GreaterEqual:
      return model::truth(o >= 0);
  }
  return Truth::Unknown;
}

Truth text_test(const Constant& a, const Constant& b, model::TextTest test) {
  if (a.kind != ValueKind::String || b.kind != ValueKind::String) return Truth::Unknown;
  switch (test) {
    case model::TextTest::Contains:
      return model::truth(a.text.find(b.text) != std::string::npos);
    case model::TextTest::StartsWith:
      return model::truth(a.text.starts_with(b.text));
    case model::TextTest::EndsWith:
      return model::truth(a.text.ends_with(b.text));
  }
  return Truth::Unknown;
}

Constant looked_up(const std::map<std::string, std::string>& map, const std::string& key) {
  const auto at = map.find(key);
  return at == map.end() ? model::null_constant() : model::text_constant(at->second);
}

Constant arithmetic(const Constant& a, const Constant& b, bool sum) {
  if (a.kind != b.kind || a.kind == ValueKind::Null) return model::null_constant();
  const Wide l = a.number, r = b.number;
  return {a.kind, saturate(sum ? l + r : l - r), {}};
}

}  // namespace

Constant evaluate(const Module& module, ExprId id, const SampleInput& input) {
  if (!id.valid()) return model::null_constant();
  const Expr& e = module.exprs[id.value];
  const auto value = [&](ExprId part) { return evaluate(module, part, input); };
  switch (e.kind) {
    case ExprKind::Constant:
      return e.constant;
    case ExprKind::Capture:
      return e.index < input.captures.size() && input.captures[e.index] ? *input.captures[e.index]
                                                                        : model::null_constant();
    case ExprKind::ObservationMessage:
      return model::text_constant(input.message);
    case ExprKind::MetricName:
      return model::text_constant(input.name);
    case ExprKind::MetricValue:
      return model::decimal_constant(input.value);
    case ExprKind::MetricRises:
      return model::truth_constant(!input.previous || input.value > *input.previous);
    case ExprKind::MetricLabel:
      return looked_up(input.labels, e.text);
    case ExprKind::RecordField:
      return looked_up(input.record, e.text);
    case ExprKind::ReadText:
      return model::read_strict(e.type, value(e.a).text).value_or(model::null_constant());
    case ExprKind::MakeCommunicator:
      return value(e.a);
    case ExprKind::MakeCollective: {
      const Constant name = value(e.a), number = value(e.b);
      if (name.kind == ValueKind::Null || number.kind == ValueKind::Null) return {};
      return model::text_constant(name.text + "/" + std::to_string(number.number));
    }
    case ExprKind::Not:
      return truth(!as_truth(value(e.a)));
    case ExprKind::And:
      return truth(as_truth(value(e.a)) & as_truth(value(e.b)));
    case ExprKind::Or:
      return truth(as_truth(value(e.a)) | as_truth(value(e.b)));
    case ExprKind::Compare:
      return truth(compare(value(e.a), value(e.b), e.compare));
    case ExprKind::InList: {
      const Constant subject = value(e.a);
      Truth any = Truth::No;
      for (const Constant& each : e.list) {
        any = any | compare(subject, each, model::Compare::Equal);
      }
      return truth(any);
    }
    case ExprKind::Has:
      return model::truth_constant(value(e.a).kind != ValueKind::Null);
    case ExprKind::TextTest:
      return truth(text_test(value(e.a), value(e.b), e.text_test));
    case ExprKind::Add:
      return arithmetic(value(e.a), value(e.b), true);
    case ExprKind::Sub:
      return arithmetic(value(e.a), value(e.b), false);
    case ExprKind::Negate: {
      const Constant inner = value(e.a);
      return inner.kind == ValueKind::Null
                 ? inner
                 : Constant{inner.kind, saturate(-Wide{inner.number}), {}};
    }
    default:
      return model::null_constant();
  }
}

}  // namespace attrib::compiler
