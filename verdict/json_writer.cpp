#include "verdict/json_writer.h"

#include <charconv>
#include <nlohmann/json.hpp>

namespace attrib::verdict {
namespace {

constexpr std::size_t kPiece = std::size_t{64} << 10U;

// Eight bytes at a time: a byte below 0x20, a quote, a backslash or one that is not ASCII? (A
// borrow can only mark a byte behind one that is marked rightly.)
constexpr std::uint64_t kOnes = 0x0101010101010101U;
constexpr std::uint64_t kHigh = 0x8080808080808080U;
constexpr std::uint64_t zero_byte(std::uint64_t word) { return (word - kOnes) & ~word; }
constexpr bool needs_escape(std::uint64_t word) {
  const std::uint64_t control = (word - 0x20 * kOnes) & ~word;
  return ((word | control | zero_byte(word ^ ('"' * kOnes)) | zero_byte(word ^ ('\\' * kOnes))) &
          kHigh) != 0;
}

bool is_plain(std::string_view text) {
  std::uint64_t word = 0;
  if (text.size() < sizeof(word)) {
    word = ' ' * kOnes;
    for (const char c : text) word = (word << 8U) | static_cast<unsigned char>(c);
    return !needs_escape(word);
  }
  const char* last = text.data() + text.size() - sizeof(word);
  for (const char* at = text.data(); at < last; at += sizeof(word)) {
    std::memcpy(&word, at, sizeof(word));
    if (needs_escape(word)) return false;
  }
  std::memcpy(&word, last, sizeof(word));
  return !needs_escape(word);
}

}  // namespace

void JsonWriter::hand_over(std::size_t wanted) {
  if (used_ > 0) sink_(std::string_view(out_).substr(0, used_));
  used_ = 0;
  if (wanted > out_.size()) out_.resize(std::max(wanted, kPiece));
}

void JsonWriter::finish() {
  *room(1) = '\n';
  ++used_;
  hand_over(0);
}

void JsonWriter::begin(char bracket) {
  before_value();
  *room(1) = bracket;
  ++used_;
  ++depth_;
  empty_ = true;
}

void JsonWriter::end(char bracket) {
  --depth_;
  if (!empty_) new_line(false);
  *room(1) = bracket;
  ++used_;
  empty_ = false;
}

// Texts are valid UTF-8 when they come from the evidence readers; a caller's own may not be.
void JsonWriter::quoted(std::string_view text) {
  if (is_plain(text)) {
    char* to = room(text.size() + 2);
    *to = '"';
    std::memcpy(to + 1, text.data(), text.size());
    to[1 + text.size()] = '"';
    used_ += text.size() + 2;
    return;
  }
  using Json = nlohmann::json;
  const std::string escaped =
      Json(std::string(text)).dump(-1, ' ', false, Json::error_handler_t::replace);
  std::memcpy(room(escaped.size()), escaped.data(), escaped.size());
  used_ += escaped.size();
}

void JsonWriter::key(std::string_view name) {
  new_line(!empty_);
  quoted(name);
  std::memcpy(room(2), ": ", 2);
  used_ += 2;
  after_key_ = true;
}

void JsonWriter::text(std::string_view text) {
  before_value();
  quoted(text);
}

void JsonWriter::plain_value(std::string_view text) {
  before_value();
  std::memcpy(room(text.size()), text.data(), text.size());
  used_ += text.size();
}

void JsonWriter::number(std::int64_t value) {
  std::array<char, 24> buffer{};
  char* end = std::to_chars(buffer.begin(), buffer.end(), value).ptr;
  plain_value({buffer.begin(), end});
}

void JsonWriter::number(std::uint64_t value) {
  std::array<char, 24> buffer{};
  char* end = std::to_chars(buffer.begin(), buffer.end(), value).ptr;
  plain_value({buffer.begin(), end});
}

}  // namespace attrib::verdict
