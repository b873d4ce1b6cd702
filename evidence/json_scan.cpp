#include "evidence/json_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "evidence/read.h"

namespace attrib::evidence {
namespace {

// Bytes by class: find_first_of looks each byte up in its set by a call, which shows on logs of
// gigabytes.
constexpr unsigned char kStructure = 1, kInString = 2;
constexpr std::array<unsigned char, 256> byte_classes() {
  std::array<unsigned char, 256> out{};
  for (const char c : std::string_view("\"[]{}")) out[static_cast<unsigned char>(c)] |= kStructure;
  for (const char c : std::string_view("\"\\\n")) out[static_cast<unsigned char>(c)] |= kInString;
  return out;
}
constexpr std::array<unsigned char, 256> kClasses = byte_classes();

// The first byte of the class from `at` on, or the end.
std::size_t find_class(std::string_view text, std::size_t at, unsigned char wanted) {
  while (at < text.size() && (kClasses[static_cast<unsigned char>(text[at])] & wanted) == 0) ++at;
  return at;
}

}  // namespace

void JsonScanner::blanks() {
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
    ++at_;
  }
}

bool JsonScanner::done() {
  blanks();
  return at_ == text_.size();
}

bool JsonScanner::take(char c) {
  blanks();
  if (at_ == text_.size() || text_[at_] != c) return false;
  ++at_;
  return true;
}

void JsonScanner::fail(std::string expected) {
  error_.at = at_;
  error_.torn = at_ >= text_.size();
  error_.expected = std::move(expected);
}

bool JsonScanner::skip_string() {
  ++at_;
  while (at_ < text_.size()) {
    at_ = find_class(text_, at_, kInString);
    if (at_ == text_.size()) break;
    if (text_[at_] == '"') {
      ++at_;
      return true;
    }
    if (text_[at_] == '\n') {  // A torn line: what follows is the next one.
      fail("the end of a string");
      error_.torn = true;
      return false;
    }
    at_ += 2;
  }
  at_ = text_.size();
  fail("the end of a string");
  return false;
}

// Brackets are counted, not matched: a wrong kind is found when the slice is parsed.
bool JsonScanner::skip_brackets(std::size_t* deepest) {
  std::size_t depth = 0;
  while (at_ < text_.size()) {
    at_ = find_class(text_, at_, kStructure);
    if (at_ == text_.size()) break;
    if (text_[at_] == '"') {
      if (!skip_string()) return false;
      continue;
    }
    const bool opens = text_[at_] == '[' || text_[at_] == '{';
    ++at_;
    if (opens) {
      *deepest = std::max(*deepest, ++depth);
    } else if (--depth == 0) {
      return true;
    }
  }
  at_ = text_.size();
  fail("the end of an object or a list");
  return false;
}

std::optional<std::string_view> JsonScanner::value(std::size_t* depth) {
  blanks();
  const std::size_t begin = at_;
  std::size_t deepest = 0;
  bool good = false;
  if (at_ == text_.size()) {
    fail("a value");
  } else if (text_[at_] == '"') {
    good = skip_string();
  } else if (text_[at_] == '[' || text_[at_] == '{') {
    good = skip_brackets(&deepest);
  } else {
    at_ = std::min(text_.find_first_of(" \t\r\n,]}:\"[{", at_), text_.size());
    good = at_ > begin;
    if (!good) fail("a value");
  }
  if (depth != nullptr) *depth = deepest;
  if (!good) return std::nullopt;
  return text_.substr(begin, at_ - begin);
}

std::optional<std::string_view> JsonScanner::string() {
  blanks();
  const std::size_t begin = at_;
  if (at_ == text_.size() || text_[at_] != '"') {
    fail("a field's name in quotes");
    return std::nullopt;
  }
  if (!skip_string()) return std::nullopt;
  return text_.substr(begin, at_ - begin);
}

namespace {

std::optional<Slice> cut_value(JsonScanner* scan, std::string_view text) {
  Slice out;
  const auto value = scan->value(&out.depth);
  if (!value) return std::nullopt;
  out.text = *value;
  out.at = static_cast<std::size_t>(value->data() - text.data());
  return out;
}

// False: the scanner's error says what is wrong.
bool cut_list(JsonScanner* scan, std::string_view text, const KeepSlices& keep,
              std::vector<Slice>* out) {
  if (scan->take(']')) return true;
  do {
    const auto slice = cut_value(scan, text);
    if (!slice) return false;
    if (!keep.observation || keep.observation(*slice)) out->push_back(*slice);
  } while (scan->take(','));
  if (scan->take(']')) return true;
  scan->fail("`,` or `]` after an observation");
  return false;
}

bool cut_member(JsonScanner* scan, std::string_view text, const KeepSlices& keep,
                DocumentSlices* out) {
  const auto name = scan->string();
  if (!name) return false;
  if (!scan->take(':')) {
    scan->fail("`:` after a field's name");
    return false;
  }
  const std::string_view bare = name->substr(1, name->size() - 2);
  if (bare == "observations" && !out->has_observations && scan->take('[')) {
    out->has_observations = true;
    return cut_list(scan, text, keep, &out->observations);
  }
  const auto value = cut_value(scan, text);
  if (value && (!keep.member || keep.member(bare, *value))) out->members.push_back({bare, *value});
  return value.has_value();
}

bool cut_object(JsonScanner* scan, std::string_view text, const KeepSlices& keep,
                DocumentSlices* out) {
  if (!scan->take('{')) {
    scan->fail("an object");
    return false;
  }
  if (!scan->take('}')) {
    do {
      if (!cut_member(scan, text, keep, out)) return false;
    } while (scan->take(','));
    if (!scan->take('}')) {
      scan->fail("`,` or `}` after a field");
      return false;
    }
  }
  if (scan->done()) return true;
  scan->fail("nothing after the end of the document");
  return false;
}

}  // namespace

DocumentSlices cut_document(std::string_view text, const KeepSlices& keep) {
  DocumentSlices out;
  JsonScanner scan(text);
  if (!cut_object(&scan, text, keep, &out)) out.error = scan.error();
  return out;
}

bool is_whole_object(std::string_view text) {
  JsonScanner scan(text);
  scan.blanks();
  if (scan.at() == text.size() || text[scan.at()] != '{') return false;
  return scan.value() && scan.done();
}

std::string too_deep(std::size_t depth) {
  return fmt::format("nested {} deep: expected at most {}", depth, kMaxDepth);
}

}  // namespace attrib::evidence
