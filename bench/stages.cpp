// Single steps of a run, for work on one of them; bench/run.sh measures whole runs.
//
//     cmake --preset release -DATTRIB_BENCHMARKS=ON && ninja -C build/release stages
//     build/release/bin/stages --program build/release/fleet.rbc --log train.log [--benchmark_filter=...]

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/framing.h"
#include "evidence/line_count.h"
#include "model/line_matcher.h"
#include "program/container.h"
#include "program/verify.h"
#include "vm/line_engine.h"
#include "vm/literal_scan.h"

namespace {

using namespace attrib;  // NOLINT(google-build-using-namespace): a program of one file.

constexpr std::size_t kBlock = std::size_t{128} << 10U;  // As the reader takes it.

std::string read_file(const std::string& path, std::size_t most) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    std::fprintf(stderr, "stages: %s: cannot be read\n", path.c_str());
    std::exit(2);
  }
  std::string out(most, '\0');
  in.read(out.data(), static_cast<std::streamsize>(most));
  out.resize(static_cast<std::size_t>(in.gcount()));
  return out;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return out;
}

void count_bytes(benchmark::State& state, std::size_t each) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(each));
}

struct Data {
  std::string file;  // Of the program.
  std::optional<program::VerifiedProgram> program;
  std::string log;
};

void load_program(benchmark::State& state, const Data& data) {
  for (auto _ : state) {
    auto loaded = program::load_for_runs(data.file, data.file.size());
    benchmark::DoNotOptimize(loaded);
  }
}

// The first block of the log over and over lies in the caches, as a block does that was just read.
void scan_literals(benchmark::State& state, const Data& data, vm::LiteralScan::Code code) {
  std::vector<std::string> literals;
  for (const program::Extract& extract : data.program->get().extracts) {
    for (const model::Alternative& alternative : extract.alternatives)
      literals.insert(literals.end(), alternative.literals.begin(), alternative.literals.end());
  }
  std::sort(literals.begin(), literals.end());
  literals.erase(std::unique(literals.begin(), literals.end()), literals.end());
  const vm::LiteralScan scan(std::move(literals), code);
  const std::string_view block = std::string_view(data.log).substr(0, kBlock);
  std::vector<vm::LiteralScan::Hit> hits;
  for (auto _ : state) {
    scan.scan(block, &hits);
    benchmark::DoNotOptimize(hits);
  }
  state.counters["hits"] = static_cast<double>(hits.size());
  count_bytes(state, block.size());
}

void prepare_scan(benchmark::State& state, const Data& data) {
  for (auto _ : state) {
    vm::LineEngine engine(data.program->get());
    benchmark::DoNotOptimize(engine.find("x"));
  }
}

void count_lines(benchmark::State& state, const Data& data) {
  const std::string_view block = std::string_view(data.log).substr(0, kBlock);
  for (auto _ : state) benchmark::DoNotOptimize(evidence::count_lines(block));
  count_bytes(state, block.size());
}

void frame_lines(benchmark::State& state, const Data& data) {
  const auto lines = lines_of(std::string_view(data.log).substr(0, kBlock));
  for (auto _ : state) {
    for (const std::string_view line : lines) {
      evidence::Draft draft;
      draft.observation.message = line;
      evidence::frame(&draft);
      benchmark::DoNotOptimize(draft);
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(lines.size()));
}

// Every template on its own sample-like candidates: the lines that hold one of its literals.
void match_templates(benchmark::State& state, const Data& data) {
  vm::LineEngine engine(data.program->get());
  struct Trial {
    vm::Candidate which;
    std::string_view line;
  };
  std::vector<Trial> trials;
  std::vector<vm::Candidate> candidates;
  for (const std::string_view line : lines_of(data.log)) {
    engine.candidates(line, &candidates);
    for (const vm::Candidate& which : candidates) trials.push_back({which, line});
  }
  std::vector<std::optional<model::Constant>> captures;
  std::size_t matched = 0;
  for (auto _ : state) {
    matched = 0;
    for (const Trial& trial : trials) {
      captures.assign(engine.matchers().captures(trial.which), std::nullopt);
      matched += engine.matchers().get(trial.which, 0).match(trial.line, &captures) ? 1 : 0;
    }
  }
  state.counters["matched"] = trials.empty() ? 0 : static_cast<double>(matched) / static_cast<double>(trials.size());
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(trials.size()));
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  std::string program, log;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view flag = argv[i];
    if (flag == "--program") program = argv[i + 1];
    if (flag == "--log") log = argv[i + 1];
  }
  if (program.empty() || log.empty()) {
    std::fprintf(stderr, "usage: stages --program FILE --log FILE [--benchmark_...]\n");
    return 3;
  }
  constexpr std::size_t kMost = std::size_t{16} << 20U;
  static Data data{read_file(program, std::size_t{64} << 20U), std::nullopt, read_file(log, kMost)};
  auto loaded = program::load_for_runs(data.file, data.file.size());
  if (!loaded) {
    std::fprintf(stderr, "stages: %s: %s\n", program.c_str(), loaded.error().message.c_str());
    return 2;
  }
  data.program = std::move(loaded).value();
  const auto add = [](const char* name, auto run) { benchmark::RegisterBenchmark(name, run); };
  add("load program", [](benchmark::State& s) { load_program(s, data); });
  add("prepare search", [](benchmark::State& s) { prepare_scan(s, data); });
  add("count lines", [](benchmark::State& s) { count_lines(s, data); });
  add("scan literals", [](benchmark::State& s) { scan_literals(s, data, vm::LiteralScan::Code::Best); });
  add("scan literals, portable", [](benchmark::State& s) { scan_literals(s, data, vm::LiteralScan::Code::Portable); });
  add("frame lines", [](benchmark::State& s) { frame_lines(s, data); });
  add("match templates", [](benchmark::State& s) { match_templates(s, data); });
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
