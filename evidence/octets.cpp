#include "evidence/octets.h"

#include "evidence/cursor.h"

namespace attrib::evidence {
namespace {

// "83 " before "<34>"; the length goes to `size`.
bool read_length_of_message(Cursor& cursor, std::int64_t* size) {
  Cursor ahead = cursor;
  std::int64_t priority = 0;
  if (!ahead.digits(1, 7, size) || !ahead.literal(' ')) return false;
  const Cursor message = ahead;
  if (!ahead.literal('<') || !ahead.digits(1, 3, &priority) || !ahead.literal('>')) return false;
  cursor = message;
  return true;
}

}  // namespace

bool is_octet_counted(std::string_view text) {
  Cursor cursor(text);
  std::int64_t size = 0;
  return read_length_of_message(cursor, &size) && size > 0;
}

std::optional<OctetSplitter::Message> OctetSplitter::next() {
  // Some senders end a message with a line end that they do not count.
  while (text_.starts_with('\n') || text_.starts_with('\r')) text_.remove_prefix(1);
  if (text_.empty()) return std::nullopt;
  Message out;
  out.number = ++number_;
  Cursor cursor(text_);
  std::int64_t size = 0;
  if (!read_length_of_message(cursor, &size)) {
    // What follows is found again at a line that begins with a length.
    out.problem = "expected the length of a message and `<`";
    std::size_t end = text_.find('\n');
    while (end != std::string_view::npos && !is_octet_counted(text_.substr(end + 1)))
      end = text_.find('\n', end + 1);
    text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
    return out;
  }
  out.text = cursor.rest().substr(0, static_cast<std::size_t>(size));
  if (out.text.size() < static_cast<std::size_t>(size))
    out.problem = "torn message: the text ends inside it";
  text_.remove_prefix(cursor.offset() + out.text.size());
  while (out.text.ends_with('\n') || out.text.ends_with('\r')) out.text.remove_suffix(1);
  return out;
}

}  // namespace attrib::evidence
