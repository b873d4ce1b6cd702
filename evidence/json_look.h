#pragma once

// The first look at a block of NDJSON: where its lines are, which of them have known heads, and what
// of them is to be searched for texts.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "evidence/json_heads.h"
#include "evidence/json_shape.h"

namespace attrib::evidence {

struct LookedAt {
  JsonLine text;                 // Of another shape: the whole line and its end.
  std::size_t searched_to = 0;   // Its end in what is to be searched.
  JsonStream* stream = nullptr;  // Null: its shape is another one or its head is not known.
  bool shaped = false;
  bool may_have_label = false;   // That tells of another stream.

  void take_head(const JsonHeads::Known& head);
};

class JsonLook {
 public:
  // `heads` must outlive it; no head is added while it reads.
  explicit JsonLook(const JsonHeads* heads) : heads_(*heads) {}

  // Finds the lines of the block, which must outlive what is said of them here.
  void read(std::string_view block);
  // By place.
  [[nodiscard]] std::vector<LookedAt>& lines() { return lines_; }
  // Of lines of known heads the message with a line end behind it, of others all of the line.
  [[nodiscard]] std::string_view searched() const { return {searched_.get(), size_}; }

 private:
  struct Guess {
    JsonShape shape;
    std::uint64_t hash = 0;
  };

  std::size_t read_known(std::string_view block, std::size_t at);
  void add(const JsonLine& text, bool shaped, const JsonHeads::Known* head);

  const JsonHeads& heads_;
  std::vector<LookedAt> lines_;
  std::array<Guess, 16> guesses_;
  std::size_t at_a_time_ = 1;         // Of these; fewer where heads are new.
  std::unique_ptr<char[]> searched_;  // No larger than the block.
  std::size_t room_ = 0, size_ = 0;
};

}  // namespace attrib::evidence
