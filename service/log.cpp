#include "service/log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <type_traits>

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

// One write a line: lines of threads, and of other processes on the same pipe, stay whole.
void to_stderr(std::string_view line) {
  while (!line.empty()) {
    const ssize_t wrote = write(STDERR_FILENO, line.data(), line.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return;  // Nobody to tell.
    line.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

}  // namespace

Log::Log(Level least, bool json, Write write)
    : least_(least), json_(json), write_(write ? std::move(write) : Write(to_stderr)) {}

void Log::event(Level level, std::string_view name, std::initializer_list<LogField> fields) {
  if (level < least_) return;
  std::string line;
  if (json_) {
    line = fmt::format(R"({{"ts":"{}","level":"{}","event":{})", now_text(), word(level),
                       json_text(name));
    for (const auto& [key, value] : fields) line += "," + json_text(key) + ":" + json_value(value);
    line += "}\n";
  } else {
    line = fmt::format("{} {:<7} {}", now_text(), word(level), name);
    for (const auto& [key, value] : fields) line += fmt::format(" {}={}", key, text_value(value));
    line += "\n";
  }
  const std::lock_guard lock(mutex_);
  write_(line);
}

}  // namespace attrib::service
