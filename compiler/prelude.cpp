#include "compiler/prelude.h"

#include "base/check.h"
#include "dsl/parse.h"

namespace attrib::compiler {
namespace {

constexpr const char* kPrelude = R"(pack core 1.0.0
language 1

event JobState on Attempt {
  state      word?
  exit_code  i32?
  signal     i32?
}
)";

}  // namespace

dsl::File parse_prelude(SourceMap& sources) {
  DiagnosticSink sink;
  const SourceId source = sources.add("<built-in>", kPrelude);
  dsl::File file = dsl::parse(sources, source, sink);
  ATTRIB_CHECK(!sink.has_errors(), "the prelude does not parse");
  return file;
}

}  // namespace attrib::compiler
