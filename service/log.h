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
  explicit Log(Level least = Level::Info, bool json = true, Write write = {});  // Empty `write`: to_descriptor(2).
  void event(Level level, std::string_view name, std::initializer_list<LogField> fields);

 private:
  [[nodiscard]] std::string line(Level level, std::string_view name, std::initializer_list<LogField> fields) const;

  Level least_;
  bool json_;
  Write write_;
  std::mutex mutex_;
};

// Writes lines to a pipe, terminal or file. Who reads the log must not be able to stop the service: a reader that takes
// nothing for a tenth of a second loses lines, and `lost` says how many before the next line that it takes. One thread at a
// time, as Log does.
Log::Write to_descriptor(int descriptor, std::function<std::string(std::uint64_t lines)> lost);

}  // namespace attrib::service
