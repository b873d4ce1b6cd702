#include "evidence/label_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace attrib::evidence {
namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr char kEscape = '\x1B';

// std::string_view's own search from the end goes byte by byte.
std::size_t find_last(std::string_view text, char c) {
  const auto* const found =
      text.empty() ? nullptr : static_cast<const char*>(::memrchr(text.data(), c, text.size()));
  return found == nullptr ? kNone : static_cast<std::size_t>(found - text.data());
}

}  // namespace

// `[rank7]:`, `[1,7]<stdout>:`, `[default7]:`, `7: `
LabelPlaces::LabelPlaces(std::string_view text, const StreamKey& stream)
    : text_(text),
      number_(fmt::format("{}", stream.rank.value_or(stream.label))),
      behind_(!stream.rank && stream.label_kind == LabelKind::Task ? ':' : ']'),
      escape_(kNone),
      object_(kNone) {}

bool LabelPlaces::is_label(std::size_t at) const {
  return at >= number_.size() && text_[at - 1] == number_.back() &&
         text_.substr(at - number_.size(), number_.size()) == number_;
}

// As the lines of container runtimes and of the journal.
bool LabelPlaces::begins_object(std::size_t at) const {
  while (at > 0 && (text_[at - 1] == ' ' || text_[at - 1] == '\t')) --at;
  return at == 0 || text_[at - 1] == '\n';
}

std::size_t LabelPlaces::next(std::size_t from) {
  if (!known_ || escape_ < from) escape_ = text_.find(kEscape, from);
  if (!known_ || object_ < from) {
    object_ = text_.find('{', from);
    while (object_ != kNone && !begins_object(object_)) object_ = text_.find('{', object_ + 1);
  }
  known_ = true;
  const std::size_t hidden = std::min(escape_, object_);
  for (std::size_t at = text_.find(behind_, from); at < hidden; at = text_.find(behind_, at + 1)) {
    if (is_label(at)) return at;
  }
  return hidden;
}

std::size_t LabelPlaces::last(std::size_t to) {
  const std::string_view text = text_.substr(0, to);
  if (!known_ || (escape_ != kNone && escape_ >= to)) escape_ = find_last(text, kEscape);
  if (!known_ || (object_ != kNone && object_ >= to)) {
    object_ = find_last(text, '{');
    while (object_ != kNone && !begins_object(object_))
      object_ = find_last(text.substr(0, object_), '{');
  }
  known_ = true;
  // Nothing is the least of all here.
  const std::size_t hidden = std::max(escape_ + 1, object_ + 1);
  for (std::size_t at = find_last(text, behind_); at != kNone && at + 1 > hidden;
       at = find_last(text.substr(0, at), behind_)) {
    if (is_label(at)) return at;
  }
  return hidden == 0 ? kNone : hidden - 1;
}

}  // namespace attrib::evidence
