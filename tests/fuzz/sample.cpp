#include "tests/fuzz/sample.h"

#include <fstream>
#include <iterator>
#include <vector>

#include "base/check.h"
#include "base/diagnostics_render.h"
#include "base/text.h"
#include "compiler/check.h"
#include "compiler/generate.h"
#include "dsl/parse.h"
#include "evidence/read.h"
#include "program/codec.h"
#include "verdict/print.h"
#include "verdict/verdict.h"

namespace attrib::fuzz {
namespace {

constexpr std::string_view kEvidence =
    R"({"schema":"attrib.evidence/1","workload":{"id":"1","attempt":1,"kind":"slurm","state":"FAILED","exit_code":1,"start":"2026-05-18T12:00:00Z","end":"2026-05-18T12:42:00Z","nodes":["n1","n2"],"ranks":4,"ranks_per_node":2,"placement":[{"rank":0,"node":"n1"},{"rank":1,"node":"n1"},{"rank":2,"node":"n2"},{"rank":3,"node":"n2","gpu":"0000:1b:00"}]},"sources":[{"kind":"kernel","node":"n1","status":"ok","coverage":[["2026-05-18T12:00:00Z","2026-05-18T12:42:00Z"]]},{"kind":"app","node":"n2","status":"failed"}]}
{"id":"a","ts":"2026-05-18T12:10:00.1Z","source":"kernel","node":"n1","message":"NVRM: Xid (PCI:0000:1b:00): 149, NETIR Fatal Link 08"}
{"id":"b","ts":"2026-05-18T12:10:00.1Z","source":"kernel","node":"n1","message":"NVRM: Xid (PCI:0000:1b:00): 79, fallen off the bus"}
{"id":"c","ts":"2026-05-18T12:11:00Z","source":"app","node":"n2","rank":3,"message":"Watchdog caught collective operation timeout: ran for 600028 milliseconds"}
{"id":"d","ts":"2026-05-18T12:11:01Z","source":"app","node":"n2","rank":2,"message":"Watchdog caught collective operation timeout: ran for 600027 milliseconds"}
{"id":"e","ts":"2026-05-18T12:09:00Z","source":"app","node":"n1","rank":0,"message":"step 12 done"}
{"id":"f","ts":"2026-05-18T12:09:30Z","source":"metric","node":"n1","name":"DCGM_FI_DEV_XID_ERRORS","value":0,"labels":{"gpu":"4"}}
{"id":"g","ts":"2026-05-18T12:10:30Z","source":"metric","node":"n1","name":"DCGM_FI_DEV_XID_ERRORS","value":149,"labels":{"gpu":"4"}}
{"id":"h","ts":"2026-05-18T12:42:00Z","source":"slurm","record":{"State":"NODE_FAIL","Reason":"none"}}
)";

std::string sample_rules() {
  std::ifstream in(ATTRIB_SOURCE_DIR "/tests/fuzz/sample.rules", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

class OneCsv : public compiler::DataFiles {
 public:
  explicit OneCsv(std::string bytes) : bytes_(std::move(bytes)) {}
  [[nodiscard]] std::optional<Found> read(const std::string& path,
                                          const std::string&) const override {
    if (bytes_.empty()) return std::nullopt;
    return Found{path, bytes_};
  }

 private:
  std::string bytes_;
};

}  // namespace

RuleInput split_rules(std::string_view bytes) {
  constexpr std::string_view kMark = "\n===csv\n";
  const std::size_t at = bytes.find(kMark);
  if (at == std::string_view::npos) return {std::string(bytes), {}};
  return {std::string(bytes.substr(0, at + 1)), std::string(bytes.substr(at + kMark.size()))};
}

std::optional<program::Program> compile(const RuleInput& input, std::string* report) {
  SourceMap sources;
  DiagnosticSink sink;
  const SourceId id = sources.add("fuzz.rules", input.rules);
  std::vector<dsl::File> files;
  files.push_back(dsl::parse(sources, id, sink));
  const auto module = compiler::check(files, sources, OneCsv(input.csv), {}, sink);
  const std::string shown = render_diagnostics(sink, sources, false);
  if (report != nullptr) *report = shown;
  ATTRIB_CHECK(module.has_value() || sink.has_errors(), "rules refused without an error");
  if (!module || sink.has_errors()) return std::nullopt;
  return compiler::generate(*module, sources);
}

const evidence::Evidence& sample_evidence() {
  static const evidence::Evidence kRead = [] {
    evidence::Input input;
    input.name = "sample.ndjson";
    input.bytes = kEvidence;
    auto read = evidence::read({input}, {});
    ATTRIB_CHECK(read.ok(), "the sample evidence is refused");
    return std::move(read).value();
  }();
  return kRead;
}

const program::VerifiedProgram& sample_program() {
  static const program::VerifiedProgram kProgram = [] {
    std::string why;
    auto program = compile({sample_rules(), {}}, &why);
    ATTRIB_CHECK(program.has_value(), "the sample rules are refused:\n" + why);
    auto verified = program::verify(std::move(*program));
    ATTRIB_CHECK(verified.ok(), "the sample program is refused");
    return std::move(verified).value();
  }();
  return kProgram;
}

void run_and_print(const program::VerifiedProgram& program, const evidence::Evidence& evidence) {
  vm::RunOptions options;
  options.budget.rule_steps = 20'000;
  options.budget.total_steps = 200'000;
  options.budget.matched_bytes = 4U << 20U;
  options.budget.events = 5'000;
  options.budget.symptoms = 2'000;
  options.budget.edges = 5'000;
  vm::RunResult result = vm::run(program, evidence, options);
  verdict::fold(result.verdict);
  const std::string json = verdict::to_json(result.verdict);
  ATTRIB_CHECK(escape_invalid_utf8(json) == json, "a verdict that is not UTF-8");
  const verdict::QuoteLine quote = [](std::string_view) { return std::string(); };
  (void)verdict::to_text(result.verdict, quote);
  (void)verdict::to_markdown(result.verdict, quote);
  (void)verdict::to_dot(result.verdict);
}

}  // namespace attrib::fuzz
