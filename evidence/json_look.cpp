#include "evidence/json_look.h"

#include <algorithm>

namespace attrib::evidence {
namespace {

bool begins_with_letter(std::string_view text) {
  const char c = text.empty() ? ' ' : text.front();
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

void LookedAt::take_head(const JsonHeads::Known& head) {
  stream = head.stream;
  may_have_label = head.may_have_label && !begins_with_letter(text.message);
}

void JsonLook::read(std::string_view block) {
  if (room_ < block.size()) {
    room_ = block.size();
    searched_ = std::make_unique_for_overwrite<char[]>(room_);
  }
  size_ = 0;
  lines_.clear();
  for (std::size_t at = 0; at < block.size();) {
    at = read_known(block, at);
    if (at == block.size()) break;
    const std::string_view rest = block.substr(at);
    JsonShape shape;
    const bool shaped = read_json_shape(rest, &shape);
    if (!shaped) {
      shape.end = std::min(rest.find('\n'), rest.size() - 1) + 1;
      shape.line = rest.substr(0, shape.end);
    }
    add(shape, shaped, shaped ? heads_.find(shape) : nullptr);
    at += shape.end;
  }
}

// Lines of known heads from `at` on, some at a time, so that what is known of one is on its way into
// the processor's cache while others are looked at. Returns where there are no more.
std::size_t JsonLook::read_known(std::string_view block, std::size_t at) {
  while (at < block.size()) {
    std::size_t guessed = 0;
    for (std::size_t to = at; guessed < at_a_time_ && to < block.size(); ++guessed) {
      Guess& guess = guesses_.at(guessed);
      const std::string_view rest = block.substr(to);
      std::size_t message = 0;
      if (!guess_json_head(rest, &guess.shape, &message) ||
          !read_json_message(rest, message, &guess.shape))
        break;
      guess.hash = JsonHeads::hash_of(guess.shape);
      heads_.fetch_slot(guess.hash);
      to += guess.shape.end;
    }
    for (std::size_t i = 0; i < guessed; ++i) heads_.fetch_entry(guesses_.at(i).hash);
    for (std::size_t i = 0; i < guessed; ++i) {
      const JsonShape& shape = guesses_.at(i).shape;
      const JsonHeads::Known* head = heads_.find(shape, guesses_.at(i).hash);
      if (head == nullptr) {  // Then the guess may be wrong about where the line ends.
        at_a_time_ = 1;
        return at;
      }
      add(shape, true, head);
      at += shape.end;
    }
    if (guessed < at_a_time_) return at;
    at_a_time_ = std::min(2 * at_a_time_, guesses_.size());
  }
  return at;
}

void JsonLook::add(const JsonLine& text, bool shaped, const JsonHeads::Known* head) {
  LookedAt& line = lines_.emplace_back();
  line.text = text;
  line.shaped = shaped;
  std::string_view searched(text.line.data(), text.end);
  if (head != nullptr) {
    line.take_head(*head);
    searched = text.message;
  }
  std::copy(searched.begin(), searched.end(), searched_.get() + size_);
  size_ += searched.size();
  if (head != nullptr) searched_[size_++] = '\n';
  line.searched_to = size_;
}

}  // namespace attrib::evidence
