#include "tools/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/text.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/say.h"

namespace attrib::cli {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kSecondColumn = 30;

// Lines of at most `width` columns, broken at spaces; a longer word stands on a line of its own.
std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line;
    for (std::size_t at = begin; at < end;) {
      const std::size_t space = std::min(text.find(' ', at), end);
      const std::string word = text.substr(at, space - at);
      if (!line.empty() && line.size() + 1 + word.size() > width) {
        out.push_back(std::exchange(line, word));
      } else {
        line += (at == begin ? "" : " ") + word;
      }
      at = space + 1;
    }
    out.push_back(line);
    begin = end + 1;
  }
  return out;
}

std::string paragraph(const std::string& text) {
  return fmt::format("{}\n", fmt::join(wrapped(text, kColumns), "\n"));
}

class Formatter : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool positional) const override {
    return row(make_option_name(option, positional) + make_option_opts(option),
               make_option_desc(option));
  }
  std::string make_subcommand(const CLI::App* command) const override {
    return row(command->get_display_name(true), command->get_description());
  }
  std::string make_description(const CLI::App* app) const override {
    const std::string text = app->get_description();
    return text.empty() ? text : paragraph(text);
  }
  std::string make_footer(const CLI::App* app) const override {
    const std::string text = app->get_footer();
    return text.empty() ? text : paragraph(text);
  }

 private:
  static std::string row(const std::string& name, const std::string& text) {
    std::string out;
    for (const std::string& each : wrapped(name, kColumns - 2))
      out += fmt::format("{}  {}", out.empty() ? "" : "\n", each);
    if (text.empty()) return out + "\n";
    // A long name has its lines to itself.
    bool beside = out.size() < kSecondColumn;
    for (const std::string& each : wrapped(text, kColumns - kSecondColumn)) {
      if (!beside) out += "\n";
      out += std::string(kSecondColumn - (beside ? out.size() : 0), ' ') + each;
      beside = false;
    }
    return out + "\n";
  }
};

void set_formatter(CLI::App& app, const std::shared_ptr<Formatter>& formatter) {
  app.formatter(formatter);
  for (CLI::App* command : app.get_subcommands({})) set_formatter(*command, formatter);
}

void add_flags(const CLI::App& app, std::vector<std::string>& names) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
}

std::string meant(const std::string& name, const std::vector<std::string>& known) {
  const auto near = nearest(name, known);
  return near ? fmt::format("; did you mean {}?", *near) : "";
}

// What of the command line nobody took, if there is such a thing.
std::string left_over(const CLI::App& app) {
  std::vector<std::string> left = app.remaining(false);
  const CLI::App* where = &app;
  std::vector<std::string> flags;
  add_flags(app, flags);
  for (const CLI::App* command : app.get_subcommands()) {
    if (left.empty()) {
      left = command->remaining(false);
      where = command;
      flags.clear();
    }
    add_flags(*command, flags);
  }
  if (left.empty()) return {};
  const auto flag = std::ranges::find_if(
      left, [](const std::string& each) { return each.size() > 1 && each[0] == '-'; });
  if (flag != left.end()) {
    const std::string name = flag->substr(0, flag->find('='));
    return fmt::format("unknown option {}{}", name, meant(name, flags));
  }
  std::vector<std::string> commands;
  for (const CLI::App* each : where->get_subcommands({})) commands.push_back(each->get_name());
  return fmt::format("unexpected argument {}{}", left.front(),
                     where->get_subcommands().empty() ? meant(left.front(), commands) : "");
}

}  // namespace

void wrap_help(CLI::App& app) { set_formatter(app, std::make_shared<Formatter>()); }

int told(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() != 0) {
    const std::string left = left_over(app);
    tell("{}: {}\nRun with --help for more information.\n", app.get_name(),
         escape_invalid_utf8(left.empty() ? error.what() : left));
    return kUsage;
  }
  const bool version = dynamic_cast<const CLI::CallForVersion*>(&error) != nullptr;
  write_stdout_later(version ? std::string(error.what()) + "\n" : app.help());
  return kDone;
}

}  // namespace attrib::cli
