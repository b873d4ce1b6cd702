#pragma once

// Syslog messages with their length in front (RFC 6587, octet counting): `83 <34>1 2026-...`. They
// may hold line ends.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace attrib::evidence {

bool is_octet_counted(std::string_view text);

class OctetSplitter {
 public:
  explicit OctetSplitter(std::string_view text) : text_(text) {}
  struct Message {
    std::string_view text;
    std::uint64_t number = 0;  // Which message, from 1.
    std::string problem;       // Not empty: a length that is none, or a message that is cut short.
  };
  std::optional<Message> next();

 private:
  std::string_view text_;
  std::uint64_t number_ = 0;
};

}  // namespace attrib::evidence
