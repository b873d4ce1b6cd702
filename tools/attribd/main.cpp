// attribd: takes evidence over HTTP and gives one verdict per attempt.

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <deque>

#include "tools/attribd/commands.h"
#include "tools/cli/command_line.h"
#include "tools/cli/completion.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/files.h"
#include "tools/cli/say.h"

namespace {

using attrib::service::SettingInfo;
using attrib::service::SettingKind;
using attrib::service::Settings;

struct Flags {
  std::string config;
  bool print_config = false;
  std::deque<std::vector<std::string>> values;  // Of each setting.
  std::vector<CLI::Option*> options;
};

std::string type_of(const SettingInfo& row) {
  switch (row.kind) {
    case SettingKind::Path:
      return "FILE";
    case SettingKind::List:
      return "HOST:PORT";
    case SettingKind::Table:
      return "NAME=FILE";
    case SettingKind::Bytes:
      return "SIZE";
    case SettingKind::Duration:
      return "TIME";
    case SettingKind::Count:
      return "N";
    case SettingKind::Word:
      return fmt::format("{{{}}}", row.words);
  }
  return "";
}

void add_settings(CLI::App& app, Flags& flags) {
  app.add_option("--config,-c", flags.config, "TOML file of settings (also ATTRIBD_CONFIG)")
      ->type_name("FILE");
  app.add_flag("--print-config", flags.print_config,
               "print all settings as a TOML file, with where each came from, and end");
  for (const SettingInfo& row : attrib::service::setting_table()) {
    std::string help(row.help);
    if (!row.initial.empty()) help += fmt::format(" (default {})", row.initial);
    CLI::Option* option = app.add_option(row.flag(), flags.values.emplace_back(), help);
    option->type_name(type_of(row))->allow_extra_args(false);
    if (row.kind != SettingKind::List && row.kind != SettingKind::Table) option->expected(1);
    if (!row.group().empty()) option->group(std::string(row.group()));
    flags.options.push_back(option);
  }
}

// The file, the environment, the flags, in this order. An exit code other than kDone: told why.
int gather(const Flags& flags, Settings& settings) {
  using attrib::attribd::complain;
  const char* variable =
      std::getenv("ATTRIBD_CONFIG");  // NOLINT(concurrency-mt-unsafe): no thread yet.
  const std::string config = !flags.config.empty() || variable == nullptr ? flags.config : variable;
  if (!config.empty()) {
    if (const attrib::Status read = settings.read_file(config); !read.ok()) {
      complain(read.error().message);
      return attrib::cli::kRefused;
    }
  }
  std::vector<std::string> variables;
  for (char** each = environ; *each != nullptr; ++each) variables.emplace_back(*each);
  int code = attrib::cli::kDone;
  if (const attrib::Status read = settings.read_environment(variables); !read.ok()) {
    complain(read.error().message);
    code = attrib::cli::kUsage;
  }
  for (const SettingInfo& row : attrib::service::setting_table()) {
    const auto index = static_cast<std::size_t>(row.id);
    if (flags.options[index]->count() == 0) continue;
    if (const attrib::Status set = settings.set_flag(row.id, flags.values[index]); !set.ok()) {
      complain(set.error().message);
      code = attrib::cli::kUsage;
    }
  }
  return code;
}

int print(const std::string& text) {
  const attrib::Status wrote = attrib::cli::write_stdout(text);
  if (wrote.ok()) return attrib::cli::kDone;
  attrib::attribd::complain(wrote.error().message);
  return attrib::cli::kRefused;
}

}  // namespace

namespace attrib::attribd {

void complain(const std::string& text) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    cli::tell("attribd: {}\n", std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
  }
}

}  // namespace attrib::attribd

namespace {

int run(int argc, char** argv) {
  CLI::App app{
      "Takes the evidence of workload attempts over HTTP and gives one verdict for each.\n"
      "Without a command it serves until SIGTERM (which drains) and reads programs, tokens and "
      "certificates again on SIGHUP.",
      "attribd"};
  app.footer(
      "A flag wins over the environment (ATTRIBD_LIMITS_BODY for --limits-body), that over the "
      "file.\n\n"
      "Exit codes: 0 ended as asked, 1 requests were cut off at the end, 2 settings, program or "
      "database "
      "refused, 3 usage. docs/operator-guide.md says how to install and operate it.\n\n"
      "Example: attribd --program fleet.rbc --db attrib.db --listen 127.0.0.1:8000");
  app.set_version_flag("--version", "attribd " ATTRIB_VERSION);
  Flags flags;
  add_settings(app, flags);
  app.require_subcommand(0, 1);

  CLI::App* check_app =
      app.add_subcommand("check-config", "read all that serving would read, and say what is wrong");
  check_app->fallthrough();

  attrib::attribd::TokenFlags token;
  CLI::App* token_app =
      app.add_subcommand("token", "make a token: print it once, and its entry for the token file");
  token_app->add_option("--name", token.name, "whose it is; appears in logs")->required();
  token_app->add_option("--scopes", token.scopes,
                        "of read, write, admin, with commas (default read)");

  attrib::attribd::BackupFlags backup;
  CLI::App* backup_app =
      app.add_subcommand("backup", "copy a database, whether or not attribd runs on it");
  backup_app->add_option("db", backup.from, "the database")->required();
  backup_app->add_option("copy", backup.to, "the file to make; must not be there")->required();

  CLI::App* completion_app = app.add_subcommand("completion", "print a completion script");
  std::string shell;
  completion_app->add_option("shell", shell, "which shell")
      ->required()
      ->check(CLI::IsMember({"bash"}));

  attrib::cli::wrap_help(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return attrib::cli::told(app, error);
  }
  if (completion_app->parsed()) return print(attrib::cli::bash_completion(app));
  if (token_app->parsed()) return attrib::attribd::token_command(token);
  if (backup_app->parsed()) return attrib::attribd::backup_command(backup);

  Settings settings;
  if (const int code = gather(flags, settings); code != attrib::cli::kDone) return code;
  if (flags.print_config) return print(settings.print());
  return check_app->parsed() ? attrib::attribd::check_config(settings)
                             : attrib::attribd::serve(settings);
}

}  // namespace

int main(int argc, char** argv) { return attrib::cli::ended("attribd", run(argc, argv)); }
