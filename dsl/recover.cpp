#include "dsl/recover.h"

#include <algorithm>

namespace attrib::dsl {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
}

std::size_t first_token(std::string_view text, std::size_t line) {
  while (line < text.size() && (text[line] == ' ' || text[line] == '\t')) ++line;
  return line;
}

std::string_view word_at(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  while (end < text.size() && is_word(text[end])) ++end;
  return text.substr(begin, end - begin);
}

bool starts_clause(std::string_view text, std::size_t token, std::span<const std::string> words) {
  if (token < text.size() && text[token] == '|') return true;
  return std::find(words.begin(), words.end(), word_at(text, token)) != words.end();
}

// Braces outside texts and comments: all closed, none closed that was not opened.
bool balanced(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '#')
      i = std::min(text.find('\n', i), text.size());
    else if (text[i] == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\' ? 1 : 0;
    } else if (text[i] == '{')
      ++depth;
    else if (text[i] == '}' && --depth < 0)
      return false;
  }
  return depth == 0;
}

}  // namespace

std::optional<ClauseRange> find_clause(std::string_view text, std::size_t offset,
                                       std::span<const std::string> words) {
  std::optional<std::size_t> begin;
  std::size_t end = text.rfind('}');
  if (end == std::string_view::npos) return std::nullopt;
  for (std::size_t newline = text.find('\n'); newline != std::string_view::npos;
       newline = text.find('\n', newline + 1)) {
    const std::size_t token = first_token(text, newline + 1);
    if (token >= end) break;
    if (!starts_clause(text, token, words) && token != offset) continue;
    // An error at the first token of a good clause is about the clause before: something was
    // missing at its end.
    if (token < offset || (token == offset && !starts_clause(text, token, words))) {
      begin = token;
    } else {
      end = token;
      break;
    }
  }
  if (!begin || !balanced(text.substr(*begin, end - *begin))) return std::nullopt;
  return ClauseRange{*begin, end};
}

}  // namespace attrib::dsl
