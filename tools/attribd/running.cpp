#include "tools/attribd/running.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>

#include "service/safety.h"
#include "tools/attribd/options.h"

namespace attrib::attribd {
namespace {

using service::Level;
using service::Metric;
using service::Setting;

constexpr std::uint64_t kExpireAtOnce = 1000;  // Sessions in one transaction: others wait for it.

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double pages = 0;
  file >> pages >> pages;
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE));
}

void add_line(std::string& errors, const std::string& error) {
  errors += (errors.empty() ? "" : "\n") + error;
}

// Those of `a` that are not in `b`.
std::string without(std::vector<std::string> a, std::vector<std::string> b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  std::vector<std::string> out;
  std::ranges::set_difference(a, b, std::back_inserter(out));
  return fmt::format("{}", fmt::join(out, ","));
}

}  // namespace

Result<std::unique_ptr<Running>> Running::start(const service::Settings& settings,
                                                service::Log& log) {
  std::unique_ptr<Running> out(new Running(settings, log));
  ATTRIB_TRY([[maybe_unused]] const Done opened, out->open());
  out->show_gauges();
  out->server_->start();
  out->log_start();
  out->watch_certificate();
  return out;
}

Running::~Running() {
  // The other way round: none may call into what is gone.
  server_.reset();
  api_.reset();
  store_.reset();
}

Status Running::open() {
  if (const std::string& path = settings_.text(Setting::Tokens); !path.empty()) {
    ATTRIB_TRY([[maybe_unused]] const Done loaded, tokens_.load(path));
  }
  ATTRIB_TRY(rulesets_, service::Rulesets::open(settings_.programs()));
  for (const auto& each : rulesets_->all())
    metrics_.add(Metric::ProgramLoads, 1, {each->name, "ok"});
  ATTRIB_TRY(store_, store::Store::open(settings_.text(Setting::Db), store_options(settings_)));
  api_ = service::Api::make({.store = store_.get(),
                             .rulesets = rulesets_.get(),
                             .tokens = &tokens_,
                             .metrics = &metrics_,
                             .log = &log_,
                             .reload = [this] { return reload("request"); }},
                            api_options(settings_));
  ATTRIB_TRY(server_, http::Server::open(server_options(settings_), api_.get()));
  return Done{};
}

void Running::show_gauges() {
  const auto server = [this](auto member) {
    return [this, member] { return static_cast<double>(server_->stats().*member); };
  };
  const auto store = [this](auto member) {
    return [this, member] { return static_cast<double>(store_->stats().*member); };
  };
  metrics_.gauge(Metric::HttpConnections, server(&http::ServerStats::connections));
  metrics_.gauge(Metric::HttpRefused, server(&http::ServerStats::refused));
  metrics_.gauge(Metric::BodyBytes, server(&http::ServerStats::body_bytes));
  metrics_.gauge(Metric::Sessions, store(&store::StoreStats::sessions));
  metrics_.gauge(Metric::Expired, store(&store::StoreStats::expired));
  metrics_.gauge(Metric::StoreBytes, store(&store::StoreStats::file_bytes));
  metrics_.gauge(Metric::StoreWaiting, store(&store::StoreStats::waiting_bytes));
  metrics_.gauge(Metric::StoreCommits, store(&store::StoreStats::commits));
  if (server_->certificate()) {
    metrics_.gauge(Metric::CertificateEnd,
                   [this] { return static_cast<double>(server_->certificate()->until); });
  }
  metrics_.gauge(Metric::ResidentBytes, resident_bytes);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  metrics_.gauge(Metric::StartSeconds,
                 [at = std::chrono::duration<double>(now).count()] { return at; });
}

void Running::log_start() {
  log_.event(Level::Info, "listening",
             {{"address", server_->addresses().front()},
              {"addresses", addresses()},
              {"version", std::string(ATTRIB_VERSION)},
              {"tls", !settings_.text(Setting::TlsCertificate).empty()},
              {"db", settings_.text(Setting::Db)},
              {"sessions", store_->stats().sessions},
              {"tokens", tokens_.required() ? fmt::format("{}", tokens_.names().size()) : "none"},
              {"rulesets", std::uint64_t{rulesets_->all().size()}},
              {"digest", rulesets_->find("default")->digest}});
}

std::string Running::addresses() const {
  return fmt::format("{}", fmt::join(server_->addresses(), ","));
}

void Running::told(const char* what, const std::string& error) {
  metrics_.add(Metric::Reloads, 1, {what, "failed"});
  log_.event(Level::Error, "reload_failed", {{"what", std::string(what)}, {"error", error}});
}

void Running::reload_programs(std::string& errors) {
  bool failed = false;
  for (const service::ProgramLoad& each : rulesets_->reload()) {
    metrics_.add(Metric::ProgramLoads, 1, {each.name, each.error.empty() ? "ok" : "failed"});
    if (!each.error.empty()) {
      failed = true;
      add_line(errors, each.error);
      told("programs", each.error);
    } else if (each.before != each.after) {
      log_.event(Level::Info, "program_changed",
                 {{"ruleset", each.name}, {"before", each.before}, {"after", each.after}});
    }
  }
  if (!failed) metrics_.add(Metric::Reloads, 1, {"programs", "ok"});
}

void Running::tokens_read(const std::vector<std::string>& before) {
  metrics_.add(Metric::Reloads, 1, {"tokens", "ok"});
  const std::vector<std::string> after = tokens_.names();
  log_.event(Level::Info, "tokens_read",
             {{"tokens", std::uint64_t{after.size()}},
              {"added", without(after, before)},
              {"removed", without(before, after)}});
}

void Running::reload_tokens(std::string& errors) {
  if (!tokens_.required()) return;
  const std::vector<std::string> before = tokens_.names();
  if (const Status read = tokens_.reload(); !read.ok()) {
    add_line(errors, read.error().message);
    told("tokens", read.error().message);
    return;
  }
  tokens_read(before);
}

void Running::reload_tls(std::string& errors) {
  if (settings_.text(Setting::TlsCertificate).empty()) return;
  Status read = Done{};
  // The same rules as at the start: the new key may be readable by everybody.
  for (const std::string& each : service::inspect(settings_).refusals) read = Error{each};
  if (read.ok()) read = server_->reload_tls();
  if (!read.ok()) {
    add_line(errors, read.error().message);
    told("tls", read.error().message);
    return;
  }
  metrics_.add(Metric::Reloads, 1, {"tls", "ok"});
  log_.event(Level::Info, "certificate_read", {{"file", settings_.text(Setting::TlsCertificate)}});
  watch_certificate();
}

Status Running::reload(const std::string& why) {
  const std::lock_guard one(reload_);
  log_.event(Level::Info, "reload", {{"why", why}});
  std::string errors;
  reload_programs(errors);
  reload_tokens(errors);
  reload_tls(errors);
  if (!errors.empty()) return Error{errors};
  return Done{};
}

void Running::reload_changed_tokens() {
  const std::lock_guard one(reload_);
  const std::vector<std::string> before = tokens_.names();
  const Result<bool> changed = tokens_.reload_if_changed();
  if (!changed.ok())
    told("tokens", changed.error().message);
  else if (changed.value())
    tokens_read(before);
}

void Running::expire() {
  if (expiring_.exchange(true)) return;
  store_->expire(kExpireAtOnce, [this](store::Outcome<std::uint64_t> done) {
    expiring_ = false;
    if (const auto* failure = std::get_if<store::Failure>(&done)) {
      log_.event(Level::Warning, "expiry_failed", {{"error", failure->message}});
    } else if (const std::uint64_t sessions = std::get<std::uint64_t>(done); sessions > 0) {
      log_.event(Level::Info, "expired", {{"sessions", sessions}});
    }
  });
}

void Running::watch_store() {
  const std::string trouble = store_->trouble().value_or("");
  if (trouble == trouble_) return;
  trouble_ = trouble;
  if (trouble.empty())
    log_.event(Level::Info, "store_recovered", {});
  else
    log_.event(Level::Error, "store_trouble", {{"error", trouble}});
}

void Running::watch_certificate() {
  const auto valid = server_->certificate();
  if (!valid) return;
  const auto warning = service::certificate_warning(settings_.text(Setting::TlsCertificate), *valid,
                                                    std::chrono::system_clock::now());
  if (warning) log_.event(Level::Warning, "certificate_ends", {{"what", *warning}});
}

bool Running::drain() {
  api_->draining();
  return server_->drain(std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::nanoseconds(settings_.number(Setting::DrainTime))));
}

}  // namespace attrib::attribd
