#include "docgen/markdown.h"

#include <fmt/format.h>

#include <algorithm>

namespace attrib::docgen {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         (static_cast<unsigned char>(c) & 0x80U) != 0;
}

std::size_t longest_run(std::string_view text, char c) {
  std::size_t longest = 0, run = 0;
  for (const char each : text) {
    run = each == c ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

// "-", "+", "#", "12.", "3)" and the like at the start of a line.
bool starts_block(std::string_view word) {
  if (word == "-" || word == "+" || word == "*" || word == ">" || word == "=") return true;
  if (!word.empty() && word.find_first_not_of('#') == std::string_view::npos) return true;
  const auto digits = word.find_first_not_of("0123456789");
  return digits != 0 && digits + 1 == word.size() && (word.back() == '.' || word.back() == ')');
}

}  // namespace

std::string escaped(std::string_view text) {
  constexpr std::string_view kMarkup = "\\`*<>[]|";
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    // An underscore inside a word is no markup.
    const bool inside =
        i > 0 && i + 1 < text.size() && is_word(text[i - 1]) && is_word(text[i + 1]);
    if (kMarkup.find(c) != std::string_view::npos || (c == '_' && !inside)) out += '\\';
    out += c;
  }
  return out;
}

std::string code(std::string_view text) {
  const std::string fence(longest_run(text, '`') + 1, '`');
  const bool pad = text.empty() || text.front() == '`' || text.back() == '`';
  return pad ? fmt::format("{0} {1} {0}", fence, text) : fmt::format("{0}{1}{0}", fence, text);
}

std::string link(std::string_view text, std::string_view target) {
  return fmt::format("[{}]({})", text, target);
}

std::string anchor(std::string_view heading) {
  std::string out;
  for (const char c : heading) {
    if (c >= 'A' && c <= 'Z') {
      out += static_cast<char>(c - 'A' + 'a');
    } else if (is_word(c) || c == '_' || c == '-') {
      out += c;
    } else if (c == ' ') {
      out += '-';
    }
  }
  return out;
}

std::string wrapped(std::string_view text, std::string_view first) {
  std::string out(first);
  std::size_t column = first.size();
  bool empty = true;  // No word on this line yet.
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find_first_not_of(" \n", at);
    if (begin == std::string_view::npos) break;
    at = std::min(text.find_first_of(" \n", begin), text.size());
    const std::string_view word = text.substr(begin, at - begin);
    if (!empty && column + 1 + word.size() > kWidth && !starts_block(word)) {
      out += '\n';
      out.append(first.size(), ' ');
      column = first.size();
      empty = true;
    }
    if (!empty) out += ' ';
    column += word.size() + (empty ? 0 : 1);
    out += word;
    empty = false;
  }
  return out + "\n";
}

std::string code_block(const std::vector<std::string>& lines) {
  std::size_t ticks = 3;
  for (const std::string& line : lines) ticks = std::max(ticks, longest_run(line, '`') + 1);
  const std::string fence(ticks, '`');
  return fmt::format("{0}text\n{1}\n{0}\n", fence, fmt::join(lines, "\n"));
}

}  // namespace attrib::docgen
