#include <doctest/doctest.h>

#include <fstream>
#include <iterator>

#include "compiler/check.h"
#include "compiler/generate.h"
#include "dsl/parse.h"
#include "program/codec.h"
#include "service/test_service.h"

namespace attrib::service {
namespace {

class NoFiles : public compiler::DataFiles {
 public:
  [[nodiscard]] std::optional<Found> read(const std::string& /*path*/,
                                          const std::string& /*from*/) const override {
    return std::nullopt;
  }
};

}  // namespace

std::string sample_program_bytes() {
  std::ifstream in(ATTRIB_SOURCE_DIR "/tests/fuzz/sample.rules", std::ios::binary);
  SourceMap sources;
  DiagnosticSink sink;
  const SourceId id = sources.add(
      "sample.rules", {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()});
  std::vector<dsl::File> files;
  files.push_back(dsl::parse(sources, id, sink));
  const auto module = compiler::check(files, sources, NoFiles(), {}, sink);
  REQUIRE(module.has_value());
  return program::encode(compiler::generate(*module, sources));
}

}  // namespace attrib::service
