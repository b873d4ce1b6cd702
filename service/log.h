#pragma once

// Structured logs: one JSON object a line on stderr (or logfmt-like text on a terminal), with `ts` (RFC 3339, UTC),
// `level`, `event` and the fields of the event. Never evidence text, header values, tokens or bodies: fields are ids,
// counts, sizes, durations, status codes and messages of our own.

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace attrib::service {

enum class Level : std::uint8_t { Debug, Info, Warning, Error };

using LogValue = std::variant<std::int64_t, std::uint64_t, double, bool, std::string>;
using LogField = std::pair<std::string_view, LogValue>;

// Thread-safe; a line is written whole.
class Log {
 public:
  using Write = std::function<void(std::string_view line)>;
  explicit Log(Level least = Level::Info, bool json = true, Write write = {});  // Empty `write`: stderr.
  void event(Level level, std::string_view name, std::initializer_list<LogField> fields);

 private:
  Level least_;
  bool json_;
  Write write_;
  std::mutex mutex_;
};

}  // namespace attrib::service
