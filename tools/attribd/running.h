#pragma once

// The parts of a running attribd, in the order in which they need each other.

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "http/server.h"
#include "service/api.h"
#include "service/log.h"
#include "service/metrics.h"
#include "service/rulesets.h"
#include "service/settings.h"
#include "service/tokens.h"
#include "store/store.h"

namespace attrib::attribd {

class Running {
 public:
  // Loads programs and tokens, opens the database, binds the addresses, and then serves. An Error says what is wrong
  // with which file or address. `log` and `settings` must outlive it.
  static Result<std::unique_ptr<Running>> start(const service::Settings& settings, service::Log& log);
  ~Running();  // Cuts off what still runs, and writes what waits to be written.

  // Programs, tokens and certificates again, from the files that were named at the start. What is refused keeps what
  // was there; the Error holds all refusals. Logs what changed. Any thread.
  Status reload(const std::string& why);
  void reload_changed_tokens();
  // Erases sessions that were idle for too long; the work is done by the store's writer.
  void expire();
  // Whether the database takes writes; a change is logged.
  void watch_store();
  // Logs a TLS certificate that is not valid, or not for long.
  void watch_certificate();
  // Takes nothing more and waits for what has begun. False: some was cut off.
  bool drain();
  [[nodiscard]] std::string addresses() const;

 private:
  Running(const service::Settings& settings, service::Log& log) : settings_(settings), log_(log) {}
  Status open();
  void show_gauges();
  void log_start();
  void told(const char* what, const std::string& error);  // A refused reload, in log and metrics.
  void reload_programs(std::string& errors);
  void reload_tokens(std::string& errors);
  void tokens_read(const std::vector<std::string>& before);
  void reload_tls(std::string& errors);

  const service::Settings& settings_;
  service::Log& log_;
  service::Metrics metrics_;
  service::Tokens tokens_;
  std::mutex reload_;
  std::atomic<bool> expiring_ = false;
  std::string trouble_;
  std::unique_ptr<service::Rulesets> rulesets_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<service::Api> api_;
  std::unique_ptr<http::Server> server_;
};

}  // namespace attrib::attribd
