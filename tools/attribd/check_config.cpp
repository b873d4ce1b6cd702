#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <optional>

#include "http/server.h"
#include "service/rulesets.h"
#include "service/safety.h"
#include "service/tokens.h"
#include "tools/attribd/commands.h"
#include "tools/attribd/options.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/files.h"

namespace attrib::attribd {
namespace {

using service::Setting;

// Certificate and key are read by a server that listens on a free port of this machine and serves
// nobody.
class Nobody : public http::Handler {
 public:
  http::Admission admit(const http::RequestHead& /*head*/) override { return {}; }
  void handle(http::Request /*request*/, http::Reply reply) override { reply({}); }
  http::Response refuse(unsigned status, const std::string& /*detail*/) override {
    http::Response out;
    out.status = status;
    return out;
  }
  void answered(const http::RequestHead* /*head*/, unsigned /*status*/, std::size_t /*bytes_in*/,
                std::size_t /*bytes_out*/, std::chrono::nanoseconds /*took*/, std::string_view /*reason*/) override {}
};

// `warning`: of a certificate that is read but not valid, or not for long.
Status check_tls(const service::Settings& settings, std::optional<std::string>& warning) {
  http::ServerOptions options = server_options(settings);
  if (!options.tls) return Done{};
  options.listen = {"127.0.0.1:0"};
  Nobody nobody;
  const auto server = http::Server::open(std::move(options), &nobody);
  if (!server.ok()) return server.error();
  if (const auto valid = server.value()->certificate()) {
    warning = service::certificate_warning(settings.text(Setting::TlsCertificate), *valid,
                                           std::chrono::system_clock::now());
  }
  return Done{};
}

Status check_database(const service::Settings& settings) {
  const std::filesystem::path folder =
      std::filesystem::path(settings.text(Setting::Db)).parent_path();
  std::error_code error;
  if (!folder.empty() && !std::filesystem::is_directory(folder, error)) {
    return Error{fmt::format("{}: no such folder, for `db`; make it", folder.string())};
  }
  return settings.text(Setting::Db).empty() ? Status(Done{})
                                            : store::may_be_store(settings.text(Setting::Db));
}

}  // namespace

int check_config(const service::Settings& settings) {
  bool good = true;
  const auto check = [&good](const Status& status) {
    if (status.ok()) return;
    complain(status.error().message);
    good = false;
  };
  check(settings.complete());
  const Status database = check_database(settings);
  check(database);
  const service::Safety safety = service::inspect(settings);
  for (const std::string& each : safety.refusals) check(Error{each});
  // None while the database is refused: one would say how to change the permissions of that file.
  if (database.ok()) {
    for (const std::string& each : safety.warnings) complain("warning: " + each);
  }
  for (const std::string& each : settings.unknown_variables()) {
    complain(fmt::format("warning: the variable {} is no setting", each));
  }
  service::Tokens tokens;
  const std::string& token_file = settings.text(Setting::Tokens);
  if (!token_file.empty()) check(tokens.load(token_file));
  std::string programs;
  if (settings.programs().contains("default")) {
    const auto opened = service::Rulesets::open(settings.programs());
    if (!opened.ok()) {
      check(opened.error());
    } else {
      for (const auto& each : opened.value()->all())
        programs += fmt::format("{} {}\n", each->name, each->digest);
    }
  }
  std::optional<std::string> certificate;
  check(check_tls(settings, certificate));
  if (certificate) complain("warning: " + *certificate);
  if (!good) return cli::kRefused;
  check(
      cli::write_stdout(programs + fmt::format("good: {} programs, {} tokens\n",
                                               settings.programs().size(), tokens.names().size())));
  return good ? cli::kDone : cli::kRefused;
}

}  // namespace attrib::attribd
