#include "ruletest/values.h"

#include <doctest/doctest.h>

#include "dsl/parse.h"

namespace attrib::ruletest {
namespace {

// The expression in `let f() = TEXT`.
dsl::ExprPtr expr(const std::string& text) {
  SourceMap sources;
  DiagnosticSink sink;
  dsl::File file = dsl::parse(sources, sources.add("t.rules", "let f() = " + text), sink);
  REQUIRE(file.decls.size() == 1);
  return std::move(std::get<dsl::LetDecl>(file.decls[0]).body);
}

verdict::NamedField field(model::Constant value) {
  return {"f", std::move(value), model::Reader::Word};
}

TEST_CASE("literals, negative numbers and words are plain values, everything else is not") {
  CHECK(plain_value(*expr("-5"))->number == -5);
  CHECK(plain_value(*expr("-5"))->text == "-5");
  CHECK(plain_value(*expr("NODE_FAIL"))->text == "NODE_FAIL");
  CHECK(plain_value(*expr("a.b"))->text == "a.b");
  CHECK(plain_value(*expr("60s"))->kind == dsl::LiteralKind::Duration);
  CHECK_FALSE(plain_value(*expr("a + b")));
  CHECK_FALSE(plain_value(*expr("-\"a\"")));
  CHECK_FALSE(plain_value(*expr("f(1)")));
}

TEST_CASE("numbers compare by value and kind") {
  CHECK(has_value(field(model::int_constant(149)), *expr("149")));
  CHECK(has_value(field(model::int_constant(149)), *expr("0x95")));
  CHECK_FALSE(has_value(field(model::int_constant(149)), *expr("150")));
  CHECK_FALSE(has_value(field(model::int_constant(60'000'000'000)), *expr("60s")));
  CHECK(has_value(field(model::duration_constant(60'000'000'000)), *expr("1m")));
  CHECK_FALSE(has_value(field(model::duration_constant(60)), *expr("60")));
  CHECK(has_value(field(model::decimal_constant(1'500'000)), *expr("1.5")));
  CHECK(has_value(field(model::decimal_constant(2'000'000)), *expr("2")));
  CHECK_FALSE(has_value(field(model::decimal_constant(2'500'000)), *expr("2")));
  CHECK(has_value(field(model::decimal_constant(950'000)), *expr("95%")));
}

TEST_CASE("truth values compare with true and false only, and unknown with neither") {
  CHECK(has_value(field(model::truth_constant(true)), *expr("true")));
  CHECK(has_value(field(model::truth_constant(false)), *expr("false")));
  CHECK_FALSE(has_value(field(model::truth_constant(true)), *expr("1")));
  CHECK_FALSE(has_value(field({model::ValueKind::Truth, 1, {}}), *expr("true")));
}

TEST_CASE(
    "texts compare exactly, entities also without their node and in any spelling of a PCI "
    "address") {
  CHECK(has_value(field(model::text_constant("Fatal")), *expr("Fatal")));
  CHECK(has_value(field(model::text_constant("Fatal")), *expr("\"Fatal\"")));
  CHECK_FALSE(has_value(field(model::text_constant("Fatal")), *expr("fatal")));
  CHECK(has_value(field(model::text_constant("n1/0000:04:00")), *expr("\"0000:04:00\"")));
  CHECK(has_value(field(model::text_constant("n1/0000:04:00")), *expr("\"00000000:04:00.0\"")));
  CHECK(has_value(field(model::text_constant("n1/0000:04:00")), *expr("\"n1/0000:04:00\"")));
  CHECK_FALSE(has_value(field(model::text_constant("n1/0000:04:00")), *expr("\"0000:05:00\"")));
  CHECK_FALSE(has_value(field(model::text_constant("n1/0000:04:00")), *expr("\"n2/0000:04:00\"")));
}

}  // namespace
}  // namespace attrib::ruletest
