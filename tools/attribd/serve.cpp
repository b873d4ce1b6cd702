#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <thread>

#include "base/check.h"
#include "service/safety.h"
#include "tools/attribd/commands.h"
#include "tools/attribd/notify.h"
#include "tools/attribd/running.h"
#include "tools/cli/exit_code.h"

namespace attrib::attribd {
namespace {

using service::Level;
using service::Setting;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTokensEvery{2000};
constexpr std::chrono::hours kCertificateEvery{24};
constexpr std::chrono::milliseconds kExpireMost{60'000};
constexpr std::chrono::milliseconds kExpireLeast{500};

// The signals that attribd acts on, as something to wait for. They are blocked before the first
// other thread is made, so that none of those is interrupted.
class Signals {
 public:
  Signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int each : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, each);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    (void)std::signal(SIGPIPE, SIG_IGN);  // A reader of our log that ended is no reason to.
    file_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    ended_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    ATTRIB_CHECK(file_ >= 0 && ended_ >= 0, "no descriptor is left");
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals() {
    close(file_);
    close(ended_);
  }

  // The next signal, or 0 after `most` or wake().
  int wait(std::chrono::milliseconds most) {
    pollfd ready[2] = {{file_, POLLIN, 0}, {ended_, POLLIN, 0}};
    (void)poll(ready, 2,
               static_cast<int>(std::max<std::chrono::milliseconds::rep>(most.count(), 0)));
    signalfd_siginfo info{};
    return read(file_, &info, sizeof info) == ssize_t{sizeof info}
               ? static_cast<int>(info.ssi_signo)
               : 0;
  }
  void wake() const {
    const std::uint64_t one = 1;
    (void)!write(ended_, &one, sizeof one);
  }

 private:
  int file_ = -1;
  int ended_ = -1;
};

// As many descriptors as the system lets us have: each connection is one.
void raise_descriptors(const service::Settings& settings, service::Log& log) {
  constexpr std::uint64_t kOwn = 64;  // Database, log, addresses.
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_max != RLIM_INFINITY &&
      settings.number(Setting::Connections) + kOwn > limit.rlim_max) {
    log.event(Level::Warning, "few_descriptors",
              {{"descriptors", std::uint64_t{limit.rlim_max}},
               {"limits.connections", settings.number(Setting::Connections)},
               {"hint", std::string("raise LimitNOFILE, or lower limits.connections")}});
  }
}

Level level_of(const std::string& word) {
  if (word == "debug") return Level::Debug;
  if (word == "warning") return Level::Warning;
  return word == "error" ? Level::Error : Level::Info;
}

// Until a signal to end.
int watch(Running& running, Signals& signals, const service::Settings& settings) {
  const auto idle = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::nanoseconds(settings.number(Setting::SessionIdle)));
  const auto expire_every = std::clamp(idle / 10, kExpireLeast, kExpireMost);
  auto next_tokens = Clock::now() + kTokensEvery;
  auto next_expiry = Clock::now();
  auto next_certificate = Clock::now() + kCertificateEvery;
  for (;;) {
    const auto now = Clock::now();
    if (now >= next_tokens) {
      running.reload_changed_tokens();
      running.watch_store();
      next_tokens = now + kTokensEvery;
    }
    if (now >= next_certificate) {
      running.watch_certificate();
      next_certificate = now + kCertificateEvery;
    }
    if (now >= next_expiry) {
      running.expire();
      next_expiry = now + expire_every;
    }
    const auto next = std::min(next_tokens, next_expiry) - Clock::now();
    const int signal = signals.wait(std::chrono::ceil<std::chrono::milliseconds>(next));
    if (signal == SIGHUP) {
      notify_reloading();
      (void)running.reload("SIGHUP");  // Told in the log.
      notify("READY=1");
    } else if (signal != 0) {
      return signal;
    }
  }
}

// Drains on a thread of its own, so that a second signal is seen. Nothing: one came.
std::optional<bool> drain(Running& running, Signals& signals) {
  std::atomic<bool> ended = false;
  bool all = false;
  std::thread draining([&] {
    all = running.drain();
    ended = true;
    signals.wake();
  });
  while (!ended) {
    const int signal = signals.wait(std::chrono::milliseconds(1000));
    if (signal == SIGTERM || signal == SIGINT) {
      draining.detach();  // The process is about to end.
      return std::nullopt;
    }
  }
  draining.join();
  return all;
}

}  // namespace

int serve(const service::Settings& settings) {
  if (const Status complete = settings.complete(); !complete.ok()) {
    complain(complete.error().message);
    return cli::kRefused;
  }
  const service::Safety safety = service::inspect(settings);
  for (const std::string& each : safety.refusals) complain(each);
  // Before it is warned of: what is no database must not get advice on its permissions.
  const Status database = store::may_be_store(settings.text(Setting::Db));
  if (!database.ok()) complain(database.error().message);
  if (!safety.refusals.empty() || !database.ok()) return cli::kRefused;

  const std::string& format = settings.text(Setting::LogFormat);
  service::Log log(level_of(settings.text(Setting::LogLevel)),
                   format == "json" || (format == "auto" && isatty(STDERR_FILENO) == 0));
  umask(077);  // Evidence is nobody else's business.
  Signals signals;
  raise_descriptors(settings, log);
  for (const std::string& each : safety.warnings)
    log.event(Level::Warning, "unsafe", {{"what", each}});
  for (const std::string& each : settings.unknown_variables()) {
    log.event(Level::Warning, "unknown_variable", {{"name", each}});
  }

  auto started = Running::start(settings, log);
  if (!started.ok()) {
    complain(started.error().message);
    return cli::kRefused;
  }
  std::unique_ptr<Running> running = std::move(started).value();
  notify("READY=1\nSTATUS=listening on " + running->addresses());

  const int signal = watch(*running, signals, settings);
  notify("STOPPING=1");
  log.event(Level::Info, "draining",
            {{"signal", std::string(signal == SIGTERM ? "SIGTERM" : "SIGINT")}});
  const std::optional<bool> drained = drain(*running, signals);
  if (!drained) {
    log.event(Level::Warning, "stopped",
              {{"drained", false}, {"why", std::string("second signal")}});
    std::_Exit(cli::kFindings);  // What was answered is in the database; nothing else is worth
                                 // waiting for.
  }
  running.reset();  // The database is written and closed before anyone reads that it is.
  log.event(*drained ? Level::Info : Level::Warning, "stopped", {{"drained", *drained}});
  return *drained ? cli::kDone : cli::kFindings;
}

}  // namespace attrib::attribd
