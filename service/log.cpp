#include "service/log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cmath>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

namespace attrib::service {
namespace {

std::string_view word(Level level) {
  switch (level) {
    case Level::Debug:
      return "debug";
    case Level::Info:
      return "info";
    case Level::Warning:
      return "warning";
    case Level::Error:
      return "error";
  }
  return "error";
}

std::string now_text() {
  const auto now = std::chrono::system_clock::now();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(now - seconds).count();
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)), micros);
}

std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_value(const LogValue& value) {
  return std::visit(
      [](const auto& each) -> std::string {
        using T = std::decay_t<decltype(each)>;
        if constexpr (std::is_same_v<T, std::string>) return json_text(each);
        if constexpr (std::is_same_v<T, double>) {
          if (!std::isfinite(each)) return "null";  // JSON has no other word for it.
        }
        return fmt::format("{}", each);
      },
      value);
}

// Bare where it reads as one word, else quoted: control characters of a path must not reach a
// terminal.
std::string text_value(const LogValue& value) {
  const std::string* text = std::get_if<std::string>(&value);
  if (text == nullptr) return json_value(value);
  bool plain = !text->empty();
  for (const char each : *text) {
    plain = plain && each > ' ' && each < 0x7f && each != '"' && each != '=' && each != '\\';
  }
  return plain ? *text : json_text(*text);
}

class DescriptorWriter {
 public:
  DescriptorWriter(int descriptor, std::function<std::string(std::uint64_t)> lost)
      : descriptor_(descriptor), lost_line_(std::move(lost)) {}

  void operator()(std::string_view line) {
    if (lost_ > 0 && ready(0)) {
      const std::uint64_t lines = std::exchange(lost_, 0);
      if (!put(lost_line_(lines))) lost_ += lines;
    }
    if (lost_ > 0 || !put(line)) ++lost_;
  }

 private:
  [[nodiscard]] bool ready(int milliseconds) const {
    pollfd file{descriptor_, POLLOUT, 0};
    return poll(&file, 1, milliseconds) == 1 && (file.revents & POLLOUT) != 0;
  }

  // A pipe that is ready takes PIPE_BUF bytes at once and whole, so that lines of several processes
  // do not mix. Of a line that was begun the rest is waited for longer: a torn line is worse than a
  // lost one.
  bool put(std::string_view line) {
    bool begun = false;
    while (!line.empty()) {
      if (!ready(begun ? 10 * kPatience : kPatience)) return begun;
      const ssize_t wrote =
          write(descriptor_, line.data(), std::min<std::size_t>(line.size(), PIPE_BUF));
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote <= 0) return begun;
      begun = true;
      line.remove_prefix(static_cast<std::size_t>(wrote));
    }
    return true;
  }

  static constexpr int kPatience = 100;  // Milliseconds.
  int descriptor_;
  std::function<std::string(std::uint64_t)> lost_line_;
  std::uint64_t lost_ = 0;
};

}  // namespace

Log::Write to_descriptor(int descriptor, std::function<std::string(std::uint64_t)> lost) {
  return DescriptorWriter(descriptor, std::move(lost));
}

Log::Log(Level least, bool json, Write write)
    : least_(least), json_(json), write_(std::move(write)) {
  if (write_) return;
  write_ = to_descriptor(STDERR_FILENO, [this](std::uint64_t lines) {
    return line(Level::Warning, "log_lost", {{"lines", lines}});
  });
}

std::string Log::line(Level level, std::string_view name,
                      std::initializer_list<LogField> fields) const {
  std::string line;
  if (json_) {
    line = fmt::format(R"({{"ts":"{}","level":"{}","event":{})", now_text(), word(level),
                       json_text(name));
    for (const auto& [key, value] : fields) line += "," + json_text(key) + ":" + json_value(value);
    return line + "}\n";
  }
  line = fmt::format("{} {:<7} {}", now_text(), word(level), name);
  for (const auto& [key, value] : fields) line += fmt::format(" {}={}", key, text_value(value));
  return line + "\n";
}

void Log::event(Level level, std::string_view name, std::initializer_list<LogField> fields) {
  if (level < least_) return;
  const std::string text = line(level, name, fields);
  const std::lock_guard lock(mutex_);
  write_(text);
}

}  // namespace attrib::service
