#pragma once

// Of lines that say the same to all rules that read them (LineFilter::says), the first of each stream.

#include <string>
#include <string_view>
#include <unordered_set>

#include "evidence/draft.h"
#include "model/vocabulary.h"

namespace attrib::evidence {

class FirstLines {
 public:
  // Did a line of the stream that speaks for the same sources say this? From now on one did.
  bool again(const StreamKey& stream, model::SourceMask speaks, std::string_view said);
  // The same where streams have numbers.
  bool again(std::uint32_t stream, model::SourceMask speaks, std::string_view said);

 private:
  // Of key_, to which this is added.
  bool again(model::SourceMask speaks, std::string_view said);

  // Past it all is forgotten: more lines are kept than need be.
  static constexpr std::size_t kMost = std::size_t{1} << 20U;  // Bytes.

  std::unordered_set<std::string> said_;
  std::size_t bytes_ = 0;
  std::string key_;
};

}  // namespace attrib::evidence
