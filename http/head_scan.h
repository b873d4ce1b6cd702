#pragma once

// Finds the end of a request's head in bytes that arrive in pieces, and refuses at the first byte that no head may
// hold: a stranger on the port (a TLS hello, a port scan) is answered at once and not after the time-out. Line ends are
// CR LF and nothing else, and no line is folded: what two readers could understand in two ways is where requests are
// smuggled.

#include <cstddef>
#include <optional>
#include <string_view>

#include "http/refusal.h"

namespace attrib::http {

class HeadScanner {
 public:
  static constexpr std::size_t kMost = std::size_t{16} * 1024;  // Bytes of a head, blank lines before it too.

  // `bytes` is all that came since the last restart(); only what is new is looked at. True: [begin(), end()) is the
  // head, its empty line included. False: more is needed, or refusal() says why not.
  bool scan(std::string_view bytes);
  [[nodiscard]] std::size_t begin() const { return begin_; }
  [[nodiscard]] std::size_t end() const { return seen_; }
  [[nodiscard]] const std::optional<Refusal>& refusal() const { return refusal_; }
  // Something beside blank lines has come.
  [[nodiscard]] bool begun() const { return seen_ > begin_; }
  void restart() { *this = HeadScanner(); }

 private:
  bool refuse(unsigned status, const char* detail);
  bool end_of_line();

  std::size_t seen_ = 0;
  std::size_t begin_ = 0;  // Past the blank lines that some clients send after a body.
  std::size_t line_ = 0;   // Where the present line begins.
  bool after_cr_ = false;
  std::optional<Refusal> refusal_;
};

}  // namespace attrib::http
