#include "evidence/prometheus.h"

#include "evidence/cursor.h"
#include "evidence/number_text.h"

namespace attrib::evidence {
namespace {

bool is_name_char(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == ':'; }

// `"..."` with \\, \" and \n.
bool read_quoted(Cursor& cursor, std::string* out) {
  if (!cursor.literal('"')) return false;
  while (!cursor.done() && cursor.peek() != '"') {
    char c = cursor.peek();
    cursor.skip(1);
    if (c == '\\' && !cursor.done()) {
      c = cursor.peek() == 'n' ? '\n' : cursor.peek();
      cursor.skip(1);
    }
    *out += c;
  }
  return cursor.literal('"');
}

bool read_labels(Cursor& cursor, std::map<std::string, std::string>* labels) {
  if (!cursor.literal('{')) return true;
  cursor.blanks();
  while (!cursor.literal('}')) {
    const std::string name(cursor.run(is_name_char, 256));
    std::string value;
    cursor.blanks();
    if (name.empty() || !cursor.literal('=')) return false;
    cursor.blanks();
    if (!read_quoted(cursor, &value) || !labels->emplace(name, value).second) return false;
    cursor.blanks();
    if (cursor.literal(','))
      cursor.blanks();
    else if (cursor.peek() != '}')
      return false;
  }
  return true;
}

}  // namespace

std::optional<MetricText> read_metric_text(std::string_view text) {
  Cursor cursor(text);
  MetricText out;
  cursor.blanks();
  if (is_digit(cursor.peek())) return std::nullopt;
  out.name = std::string(cursor.run(is_name_char, 256));
  if (out.name.empty() || !read_labels(cursor, &out.labels)) return std::nullopt;
  cursor.blanks();
  const auto value = read_millionths(cursor.run([](char c) { return c != ' ' && c != '\t'; }, 64));
  if (!value) return std::nullopt;
  out.value = *value;
  cursor.blanks();
  std::int64_t stamp = 0;
  cursor.literal('-');
  cursor.digits(0, 18, &stamp);  // The scrape's stamp; the observation has its own.
  cursor.blanks();
  return cursor.done() ? std::optional(out) : std::nullopt;
}

}  // namespace attrib::evidence
