// Writes the pages about a rule library, packs/*.md and signals.md, or says which are stale.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "docgen/library.h"
#include "docgen/pack_page.h"
#include "docgen/signals.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/files.h"
#include "tools/rulec/compile.h"

namespace {

namespace fs = std::filesystem;
using namespace attrib;

using Pages = std::map<std::string, std::string>;  // By path below the folder of docs.

Pages pages_of(const docgen::Library& library, const docgen::Signals& signals) {
  Pages pages;
  pages["packs/README.md"] = docgen::packs_index(library);
  pages["signals.md"] = docgen::signals_page(library, signals);
  for (const auto& [name, pack] : library.packs()) {
    pages[fmt::format("packs/{}.md", name)] = docgen::pack_page(library, name);
  }
  return pages;
}

// The lists of signals in `signals/` of each rule folder.
Result<std::vector<std::pair<std::string, std::string>>> signal_files(
    const std::vector<std::string>& folders) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const std::string& folder : folders) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(fs::path(folder) / "signals", ignored)) {
      if (entry.path().extension() != ".csv") continue;
      const std::string path = entry.path().lexically_normal().generic_string();
      ATTRIB_TRY(std::string text, cli::read_file(path));
      out.emplace_back(path, std::move(text));
    }
  }
  return out;
}

// Pages of packs that are gone.
std::set<std::string> orphans(const std::string& folder, const Pages& pages) {
  std::set<std::string> out;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder + "/packs", ignored)) {
    const std::string name = "packs/" + entry.path().filename().string();
    if (entry.path().extension() == ".md" && !pages.contains(name)) out.insert(name);
  }
  return out;
}

int check(const std::string& folder, const Pages& pages) {
  std::size_t stale = 0;
  const auto tell = [&](const std::string& name, std::string_view what) {
    fmt::print(stderr, "{}/{}: {}\n", folder, name, what);
    ++stale;
  };
  for (const auto& [name, text] : pages) {
    const auto found = cli::read_file(fmt::format("{}/{}", folder, name));
    if (!found) {
      tell(name, "missing");
    } else if (found.value() != text) {
      tell(name, "is not what the rules say");
    }
  }
  for (const std::string& name : orphans(folder, pages)) tell(name, "no such pack");
  return stale == 0 ? cli::kDone : cli::kFindings;
}

int write(const std::string& folder, const Pages& pages) {
  std::error_code ignored;
  fs::create_directories(folder + "/packs", ignored);
  for (const auto& [name, text] : pages) {
    if (const auto written = cli::write_file(fmt::format("{}/{}", folder, name), text); !written) {
      fmt::print(stderr, "rule_pages: {}\n", written.error().message);
      return cli::kRefused;
    }
  }
  for (const std::string& name : orphans(folder, pages))
    fs::remove(fs::path(folder) / name, ignored);
  return cli::kDone;
}

// Prints what is wrong with the lists; false if anything is.
bool accept(const docgen::Signals& signals, std::size_t least_read) {
  for (const std::string& problem : signals.problems) fmt::print(stderr, "{}\n", problem);
  const docgen::SignalCount read = docgen::count_signals(signals, docgen::SignalGrade::Read);
  const bool enough = read.at_least(least_read);
  if (!enough) {
    fmt::print(stderr, "{} of {} signals of grade `read` have rules, which is less than {} %\n",
               read.with_rules, read.total, least_read);
  }
  return signals.problems.empty() && enough;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Writes the pages about a rule library: packs/*.md and signals.md.", "rule_pages"};
  rulec::RuleFlags rules;
  std::string folder;
  bool only_check = false;
  std::size_t least_read = 0;
  app.add_option("paths", rules.paths, "rule folders; the lists of signals are in their signals/")
      ->required();
  app.add_option("--out", folder, "the folder of docs")->required();
  app.add_flag("--check", only_check, "write nothing; exit code 1 if a page is stale");
  app.add_option("--least-read", least_read,
                 "percent of the signals of grade `read` that must have rules");
  app.footer("Exit codes: 0 done, 1 stale pages, 2 rules or lists of signals refused, 3 usage.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& wrong) {
    return app.exit(wrong) == 0 ? cli::kDone : cli::kUsage;
  }
  rulec::Compilation compilation;
  if (!rulec::compile(rules, compilation)) return cli::kRefused;
  rulec::print_diagnostics(rules, compilation);
  if (!compilation.module) return cli::kRefused;
  const docgen::Library library(compilation.sources, compilation.files, *compilation.module);
  const auto files = signal_files(rules.paths);
  if (!files) {
    fmt::print(stderr, "rule_pages: {}\n", files.error().message);
    return cli::kRefused;
  }
  const docgen::Signals signals = docgen::read_signals(library, files.value());
  if (!accept(signals, least_read)) return cli::kRefused;
  const Pages pages = pages_of(library, signals);
  return only_check ? check(folder, pages) : write(folder, pages);
}
