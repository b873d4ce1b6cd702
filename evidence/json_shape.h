#pragma once

// The usual line of NDJSON, recognised without parsing it: an object on one line whose last field
// is its message. All but time, number and message are the line's head, which is the same for most
// lines of a stream: whoever has parsed one line of a head knows how the others read.

#include <array>
#include <cstddef>
#include <string_view>

namespace attrib::evidence {

struct JsonLine {
  std::size_t end = 0;       // Behind the line end.
  std::string_view line;     // Without its line end.
  std::string_view ts, seq;  // Values as written, without quotes; empty: not there.
  std::string_view message;  // Between its quotes, as written.
  bool escapes = false;      // The message holds some, all of which are in the shortest spelling.
};
struct JsonShape : JsonLine {
  std::array<std::string_view, 3> head;  // What stands before the message, around `ts` and `seq`.
};

// The line that begins where `text` does; `text` may be many lines. False: it has not that shape, or
// holds a backslash before its message, a control character or an escape other than \" \\ \b \f \n
// \r \t, so that texts may be spelled in other ways than write_json_text() does.
bool read_json_shape(std::string_view text, JsonShape* out);

// The same in two steps, for lines whose heads are known. The first guesses a head of the most usual
// form and where its message begins: nothing holds of it unless another line had the same head.
bool guess_json_head(std::string_view text, JsonShape* out, std::size_t* message);
bool read_json_message(std::string_view text, std::size_t begin, JsonShape* out);

// From `at` on the first byte at which a string ends or is not as it reads: a quote, a backslash or a
// control character. The size: there is none.
std::size_t find_string_stop(std::string_view text, std::size_t at);

// Does `line` hold an escape of those other ones?
bool has_odd_escape(std::string_view line);

}  // namespace attrib::evidence
