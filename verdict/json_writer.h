#pragma once

// JSON text from beginning to end, without a tree in between: a verdict over a flood of symptoms is
// megabytes, handed over in pieces. The layout is that of nlohmann's dump(2); what is no plain text
// is escaped by nlohmann.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "verdict/print.h"

namespace attrib::verdict {

// The caller opens and closes what belongs together; nothing checks it. A nanosecond a byte.
class JsonWriter {
 public:
  explicit JsonWriter(Sink sink) : sink_(std::move(sink)) {}

  void begin_object() { begin('{'); }
  void end_object() { end('}'); }
  void begin_array() { begin('['); }
  void end_array() { end(']'); }
  // Of the value that is written next; a literal holds nothing that needs an escape.
  void key(std::string_view name);
  template <std::size_t N>
  void key(const char (&literal)[N]) {
    new_line(!empty_);
    char* to = room(N + 3);
    *to++ = '"';
    std::memcpy(to, literal, N - 1);
    std::memcpy(to + N - 1, "\": ", 3);
    used_ += N + 3;
    after_key_ = true;
  }

  void text(std::string_view text);  // Broken UTF-8 becomes U+FFFD.
  void number(std::int64_t value);
  void number(std::uint64_t value);
  void boolean(bool value) { plain_value(value ? "true" : "false"); }
  void null() { plain_value("null"); }
  // Ends the document with a line end and hands over what is left of it.
  void finish();

 private:
  static constexpr std::size_t kIndent = 2;
  static constexpr std::size_t kDeepest = 32;  // Objects and arrays in one another.

  // Room for so many bytes, of which what is used is told by moving used_.
  char* room(std::size_t bytes) {
    if (used_ + bytes > out_.size()) hand_over(bytes);
    return out_.data() + used_;
  }
  void new_line(bool after_another) {
    char* to = room(2 + kDeepest * kIndent);
    if (after_another) *to++ = ',';
    *to++ = '\n';
    std::memset(to, ' ', kDeepest * kIndent);
    used_ += (after_another ? 2U : 1U) + std::min(depth_, kDeepest) * kIndent;
  }
  void before_value() {
    if (!after_key_ && depth_ > 0) new_line(!empty_);
    empty_ = false;
    after_key_ = false;
  }
  void begin(char bracket);
  void end(char bracket);
  void hand_over(std::size_t wanted);
  void plain_value(std::string_view text);
  void quoted(std::string_view text);

  Sink sink_;
  std::string out_;  // The first used_ bytes of it are still to be handed over.
  std::size_t used_ = 0;
  std::size_t depth_ = 0;
  bool empty_ = true;       // The innermost object or array, so far.
  bool after_key_ = false;  // A value belongs on this line.
};

}  // namespace attrib::verdict
