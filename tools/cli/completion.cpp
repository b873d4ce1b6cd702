#include "tools/cli/completion.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>

namespace attrib::cli {
namespace {

std::string flags_of(const CLI::App& app) {
  std::set<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.insert("--" + name);
  }
  return fmt::format("{}", fmt::join(names, " "));
}

// "{a,b,c}" of a set-checked option's help, or nothing.
std::string words_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const auto open = type.find('{');
  const auto close = type.find('}');
  if (open == std::string::npos || close == std::string::npos || close < open) return {};
  std::string words = type.substr(open + 1, close - open - 1);
  std::replace(words.begin(), words.end(), ',', ' ');
  return words;
}

std::string value_cases(const CLI::App& app) {
  std::string out;
  for (const CLI::Option* option : app.get_options()) {
    const std::string words = words_of(*option);
    if (words.empty()) continue;
    for (const std::string& name : option->get_lnames()) {
      out += fmt::format("    --{}) COMPREPLY=($(compgen -W \"{}\" -- \"$cur\")); return ;;\n",
                         name, words);
    }
  }
  return out;
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
  const std::string program = app.get_name();
  std::string function = program;
  std::replace(function.begin(), function.end(), '-', '_');
  std::set<std::string> commands;
  std::string flag_cases;
  std::string values = value_cases(app);
  for (const CLI::App* sub : app.get_subcommands({})) {
    commands.insert(sub->get_name());
    flag_cases += fmt::format("    {}) flags=\"{}\" ;;\n", sub->get_name(), flags_of(*sub));
    values += value_cases(*sub);
  }
  return fmt::format(
      "# bash completion for {0}; source <({0} completion bash)\n"
      "_{1}() {{\n"
      "  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} flags=\"{2}\"\n"
      "  case \"$prev\" in\n{3}  esac\n"
      "  case \"${{COMP_WORDS[1]}}\" in\n{4}  esac\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then COMPREPLY=($(compgen -W \"{5} {2}\" -- \"$cur\")); "
      "return; fi\n"
      "  case \"$cur\" in\n"
      "    -*) COMPREPLY=($(compgen -W \"$flags\" -- \"$cur\")) ;;\n"
      "    *) COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n"
      "  esac\n"
      "}}\n"
      "complete -o filenames -F _{1} {0}\n",
      program, function, flags_of(app), values, flag_cases, fmt::join(commands, " "));
}

}  // namespace attrib::cli
