// Random rules and evidence through both evaluators: the same verdict, byte for byte.
//
//   differential [--seed N] [--count N] [--no-shrink] [--verbose]
//
// Each case has a seed of its own, printed when the two differ; `--seed THAT --count 1` runs it
// alone.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <optional>

#include "base/diagnostics_render.h"
#include "compiler/check.h"
#include "compiler/generate.h"
#include "dsl/parse.h"
#include "evidence/read.h"
#include "program/codec.h"
#include "program/verify.h"
#include "tests/reference/differential_evidence.h"
#include "tests/reference/differential_rules.h"
#include "tests/reference/differential_tally.h"
#include "tests/reference/evaluate.h"
#include "verdict/print.h"
#include "vm/machine.h"

namespace attrib::differential {
namespace {

class NoFiles : public compiler::DataFiles {
 public:
  [[nodiscard]] std::optional<Found> read(const std::string&, const std::string&) const override {
    return std::nullopt;
  }
};

struct Case {
  RuleSet rules;
  EvidenceText evidence;
  std::uint32_t causes_per_effect = 64;
};

struct Outcome {
  bool compiled = false;
  std::string why_not;
  std::string vm, reference;  // Verdicts as JSON, folded, with proofs.
  [[nodiscard]] bool differs() const { return compiled && vm != reference; }
};

std::string printed(verdict::Verdict v) {
  verdict::fold(v);
  return verdict::to_json(v, {.mask_digest = true, .explain = true});
}

Outcome run(const Case& one, Tally* tally) {
  Outcome out;
  SourceMap sources;
  DiagnosticSink sink;
  const SourceId id = sources.add("random.rules", one.rules.text());
  std::vector<dsl::File> files;
  files.push_back(dsl::parse(sources, id, sink));
  std::optional<compiler::Module> module;
  if (!sink.has_errors()) module = compiler::check(files, sources, NoFiles(), {}, sink);
  if (!module) {
    out.why_not = render_diagnostics(sink, sources, false);
    return out;
  }
  const std::string bytes = program::encode(compiler::generate(*module, sources));
  auto decoded = program::decode(bytes);
  if (!decoded) {
    out.why_not = "decode: " + decoded.error().message;
    out.compiled = true;
    out.vm = out.why_not;
    return out;
  }
  auto verified = program::verify(std::move(decoded).value());
  if (!verified) {
    out.why_not = "verify: " + verified.error().message;
    out.compiled = true;
    out.vm = out.why_not;
    return out;
  }
  evidence::Input input;
  input.name = "random.json";
  input.bytes = one.evidence.text();
  const auto evidence = evidence::read({input}, {});
  if (!evidence) {
    out.why_not = "evidence: " + evidence.error().message;
    return out;
  }
  out.compiled = true;
  reference::Notes notes;
  const verdict::Verdict second =
      reference::evaluate(*module, evidence.value(), {one.causes_per_effect}, &notes);
  vm::RunOptions options;
  options.budget.causes_per_effect = one.causes_per_effect;
  const vm::RunResult first = vm::run(verified.value(), evidence.value(), options);
  out.vm = printed(first.verdict);
  out.reference = printed(second);
  if (tally != nullptr) tally->add(*module, verified.value().get(), second, notes);
  return out;
}

Case make(std::uint64_t seed) {
  Random random(seed);
  Case out;
  out.rules = random_rules(random);
  out.evidence = random_evidence(random, out.rules);
  if (random.chance(20)) out.causes_per_effect = 1 + static_cast<std::uint32_t>(random.below(3));
  return out;
}

// Leaves out one part after another for as long as the two still differ.
Case shrunk(Case best) {
  const auto try_each = [&](auto part) {
    bool any = false;
    for (std::size_t i = part(best).size(); i-- > 0;) {
      Case smaller = best;
      part(smaller).erase(part(smaller).begin() + static_cast<std::ptrdiff_t>(i));
      if (!run(smaller, nullptr).differs()) continue;
      best = std::move(smaller);
      any = true;
    }
    return any;
  };
  for (bool again = true; again;) {
    again = try_each([](Case & c) -> auto& { return c.evidence.observations; });
    again = try_each([](Case & c) -> auto& { return c.rules.declarations; }) || again;
    again = try_each([](Case & c) -> auto& { return c.evidence.sources; }) || again;
    again = try_each([](Case & c) -> auto& { return c.evidence.header; }) || again;
  }
  return best;
}

void print_line_diff(const std::string& a, const std::string& b) {
  const auto lines = [](const std::string& text) {
    std::vector<std::string> out;
    for (std::size_t from = 0; from < text.size();) {
      const std::size_t end = text.find('\n', from);
      out.push_back(text.substr(from, end - from));
      if (end == std::string::npos) break;
      from = end + 1;
    }
    return out;
  };
  const auto x = lines(a);
  const auto y = lines(b);
  std::size_t head = 0, tail = 0;
  while (head < x.size() && head < y.size() && x[head] == y[head]) ++head;
  while (tail < x.size() - head && tail < y.size() - head &&
         x[x.size() - 1 - tail] == y[y.size() - 1 - tail])
    ++tail;
  const std::size_t from = head > 4 ? head - 4 : 0;
  for (std::size_t i = from; i < head; ++i) fmt::print("    {}\n", x[i]);
  for (std::size_t i = head; i < x.size() - tail; ++i) fmt::print("vm  {}\n", x[i]);
  for (std::size_t i = head; i < y.size() - tail; ++i) fmt::print("ref {}\n", y[i]);
}

void report(std::uint64_t seed, const Case& found, bool shrink) {
  const Case smallest = shrink ? shrunk(found) : found;
  const Outcome out = run(smallest, nullptr);
  fmt::print(
      "\n=== seed {}: the verdicts differ ({} causes per effect)\n--- rules\n{}--- evidence\n{}--- "
      "difference\n",
      seed, smallest.causes_per_effect, smallest.rules.text(), smallest.evidence.text());
  print_line_diff(out.vm, out.reference);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t seed = 1;
  std::size_t count = 1000;
  std::size_t most_reports = 5;
  bool no_shrink = false;
  bool verbose = false;
  CLI::App app{"Compare the VM with the second evaluator on random rules and evidence"};
  app.add_option("--seed", seed, "Seed of the first case; the others follow");
  app.add_option("--count", count, "How many cases");
  app.add_option("--reports", most_reports, "How many differences to print");
  app.add_flag("--no-shrink", no_shrink, "Print differences as they were found");
  app.add_flag("--verbose", verbose,
               "Print why cases were not compiled, and verdicts of a single case");
  CLI11_PARSE(app, argc, argv);

  Tally tally;
  std::size_t different = 0;
  fmt::print("differential: seeds {} to {}\n", seed, seed + count - 1);
  std::fflush(stdout);
  for (std::uint64_t s = seed; s < seed + count; ++s) {
    const Case one = make(s);
    const Outcome out = run(one, &tally);
    if (!out.compiled) {
      tally.refused(out.why_not);
      if (verbose) fmt::print("seed {}: {}\n", s, out.why_not);
      continue;
    }
    if (verbose && count == 1) {
      fmt::print("--- rules\n{}--- evidence\n{}--- reference\n{}", one.rules.text(),
                 one.evidence.text(), out.reference);
    }
    if (!out.differs()) continue;
    if (++different <= most_reports) report(s, one, !no_shrink);
  }
  const bool complete = tally.print(count >= 1000);
  fmt::print("differential: {} cases, {} different\n", count, different);
  return different == 0 && complete ? 0 : 1;
}

}  // namespace attrib::differential

int main(int argc, char** argv) { return attrib::differential::main(argc, argv); }
