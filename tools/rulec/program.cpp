// rulec dis and rulec verify: commands about a compiled program.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/diagnostics_render.h"
#include "compiler/check.h"
#include "compiler/generate.h"
#include "dsl/parse.h"
#include "program/codec.h"
#include "program/disassemble.h"
#include "program/verify.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/files.h"
#include "tools/cli/say.h"
#include "tools/rulec/commands.h"
#include "tools/rulec/compile.h"

namespace attrib::rulec {
namespace {

constexpr std::string_view kRuleExtension = ".rules";

// The data files that a program carries. They are bundled under the path that was found, so a
// table's path is looked up beside its rule file and then as the end of a bundled path.
class BundledData : public compiler::DataFiles {
 public:
  explicit BundledData(const program::Program& program) : program_(program) {}

  [[nodiscard]] std::optional<Found> read(const std::string& path,
                                          const std::string& beside) const override {
    namespace fs = std::filesystem;
    const std::string near =
        (fs::path(beside).parent_path() / path).lexically_normal().generic_string();
    const std::string wanted = fs::path(path).lexically_normal().generic_string();
    for (const std::string& name : {near, wanted}) {
      if (const auto found = find([&](const std::string& bundled) { return bundled == name; }))
        return found;
    }
    return find([&](const std::string& bundled) { return bundled.ends_with("/" + wanted); });
  }

 private:
  template <typename Matches>
  std::optional<Found> find(Matches matches) const {
    for (const program::SourceText& source : program_.sources) {
      if (!source.path.ends_with(kRuleExtension) && matches(source.path))
        return Found{source.path, source.text};
    }
    return std::nullopt;
  }

  const program::Program& program_;
};

Result<program::Program> load(const std::string& path) {
  ATTRIB_TRY(const std::string bytes, cli::read_file(path));
  auto program = program::decode(bytes);
  if (!program) return Error{fmt::format("{}: {}", path, program.error().message)};
  return program;
}

int refused(const Error& error) {
  cli::tell("rulec: {}\n", error.message);
  return cli::kRefused;
}

void parse_bundled(const program::Program& program, Compilation& out) {
  for (const program::SourceText& source : program.sources) {
    if (!source.path.ends_with(kRuleExtension)) continue;
    out.files.push_back(
        dsl::parse(out.sources, out.sources.add(source.path, source.text), out.sink));
  }
}

// Where two programs differ first, for people.
std::string difference(const program::Program& a, const program::Program& b) {
  const std::string left = program::disassemble(a);
  const std::string right = program::disassemble(b);
  const auto at = std::mismatch(left.begin(), left.end(), right.begin(), right.end()).first;
  if (at == left.end() && left.size() == right.size())
    return "the code is equal, other sections differ";
  const auto line = std::count(left.begin(), at, '\n') + 1;
  return fmt::format("the disassembly differs first in line {}", line);
}

}  // namespace

int dis_command(const std::string& program, const std::string& rule) {
  const auto loaded = load(program);
  if (!loaded) return refused(loaded.error());
  const std::string text = program::disassemble(loaded.value(), rule);
  if (text.empty() && !rule.empty())
    return refused(
        {fmt::format("{}: no rule is called `{}`; give its full name, PACK.RULE", program, rule)});
  const auto written = cli::write_stdout(text);
  return written ? cli::kDone : refused(written.error());
}

int verify_command(const std::string& program, const RuleFlags& rules) {
  auto loaded = load(program);
  if (!loaded) return refused(loaded.error());
  const auto accepted = program::verify(loaded.value());
  if (!accepted) return refused({fmt::format("{}: {}", program, accepted.error().message)});
  const program::Program& original = accepted.value().get();

  Compilation compilation;
  parse_bundled(original, compilation);
  const BundledData data(original);
  if (!compilation.sink.has_errors()) {
    compilation.module =
        compiler::check(compilation.files, compilation.sources, data, {}, compilation.sink);
  }
  print_diagnostics(rules, compilation);
  if (!compilation.module) {
    return refused({fmt::format("{}: the sources it carries do not compile", program)});
  }
  compilation.module->tests_digest = original.tests_digest;  // Tests are not carried along.
  const program::Program again = compiler::generate(*compilation.module, compilation.sources);
  if (program::encode(again) != program::encode(original)) {
    cli::tell("rulec: {}: is not what its sources compile to: {}\n", program,
              difference(original, again));
    return cli::kFindings;
  }
  cli::say("ok: {} is what its {} sources compile to; {}\n", program, original.sources.size(),
           accepted.value().digest());
  return cli::kDone;
}

}  // namespace attrib::rulec
