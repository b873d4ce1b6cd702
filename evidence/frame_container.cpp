#include "evidence/frame.h"

namespace attrib::evidence {
namespace {

// RFC 3339 with `T`, zone and a fraction, as container runtimes print it.
std::optional<Stamp> read_runtime_stamp(Cursor& cursor) {
  Cursor ahead = cursor;
  if (ahead.rest().size() < 20 || ahead.rest()[10] != 'T') return std::nullopt;
  const auto stamp = read_iso(ahead);
  if (!stamp || stamp->form != Stamp::Form::Absolute || !ahead.literal(' ')) return std::nullopt;
  cursor = ahead;
  return stamp;
}

}  // namespace

std::optional<CriFrame> read_cri(std::string_view line) {
  Cursor cursor(line);
  CriFrame out;
  if (!read_runtime_stamp(cursor)) return std::nullopt;
  out.stream = cursor.rest().substr(0, 6);
  if (!cursor.literal("stdout ") && !cursor.literal("stderr ")) return std::nullopt;
  out.partial = cursor.peek() == 'P';
  if (!cursor.literal('F') && !cursor.literal('P')) return std::nullopt;
  cursor.run([](char c) { return c != ' '; }, 64);  // Further tags, as in `F:x`.
  if (!cursor.done() && !cursor.literal(' ')) return std::nullopt;
  out.body = cursor.offset();
  return out;
}

bool read_container_frame(Cursor& cursor, Frame& frame) {
  Cursor ahead = cursor;
  const auto stamp = read_runtime_stamp(ahead);
  if (!stamp) return false;
  if (const auto cri = read_cri(cursor.rest())) {
    cursor.skip(cri->body);
  } else if (stamp->resolution <= 1000) {
    cursor = ahead;  // `kubectl logs --timestamps`
  } else {
    return false;
  }
  frame.offer(*stamp);
  frame.container_output = true;
  return true;
}

}  // namespace attrib::evidence
