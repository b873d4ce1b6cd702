// Rule text: parse, print and parse again, check, generate. What the compiler accepts must be a
// program that the verifier accepts and that survives its own bytes.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/diagnostics_render.h"
#include "dsl/parse.h"
#include "dsl/print.h"
#include "program/codec.h"
#include "program/verify.h"
#include "tests/fuzz/sample.h"

namespace attrib::fuzz {
namespace {

// A text without errors prints as a text that prints the same again.
void print_twice(const std::string& rules) {
  SourceMap sources;
  DiagnosticSink sink;
  const dsl::File file = dsl::parse(sources, sources.add("a.rules", rules), sink);
  (void)render_diagnostics(sink, sources, false);
  (void)render_diagnostics_json(sink, sources);
  if (sink.has_errors()) return;
  const std::string printed = dsl::print(file);
  const dsl::File again = dsl::parse(sources, sources.add("b.rules", printed), sink);
  ATTRIB_CHECK(!sink.has_errors(), "a printed file does not parse");
  ATTRIB_CHECK(dsl::print(again) == printed, "a printed file parses to another");
}

void compile_and_verify(const RuleInput& input) {
  const auto program = compile(input);
  if (!program) return;
  const std::string bytes = program::encode(*program);
  auto decoded = program::decode(bytes);
  ATTRIB_CHECK(decoded.ok(), "a generated program does not decode");
  ATTRIB_CHECK(program::encode(decoded.value()) == bytes,
               "a decoded program encodes to other bytes");
  const auto verified = program::verify(std::move(decoded).value());
  ATTRIB_CHECK(verified.ok(), "a generated program is refused: " + verified.error().message);
  run_and_print(verified.value(), sample_evidence());
}

}  // namespace
}  // namespace attrib::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto input = attrib::fuzz::split_rules(bytes);
  attrib::fuzz::print_twice(input.rules);
  attrib::fuzz::compile_and_verify(input);
  return 0;
}
