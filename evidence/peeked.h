#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "evidence/byte_source.h"

namespace attrib::evidence {

// Bytes that were read to see what follows, and then what follows.
class Peeked : public ByteSource {
 public:
  explicit Peeked(std::unique_ptr<ByteSource> from) : from_(std::move(from)) {}

  // The next `most` bytes, or all there are. The view holds until the next call.
  Result<std::string_view> peek(std::size_t most) {
    head_.erase(0, at_);
    at_ = 0;
    while (head_.size() < most) {
      const std::size_t size = head_.size();
      head_.resize(most);
      ATTRIB_TRY(const std::size_t got, from_->read(head_.data() + size, most - size));
      head_.resize(size + got);
      if (got == 0) break;
    }
    return std::string_view(head_);
  }

  // Of what was peeked at.
  void skip(std::size_t bytes) { at_ += bytes; }

  Result<std::size_t> read(char* into, std::size_t most) override {
    if (at_ == head_.size()) return from_->read(into, most);
    const std::size_t n = std::min(most, head_.size() - at_);
    std::copy_n(head_.data() + at_, n, into);
    at_ += n;
    return n;
  }

 private:
  std::unique_ptr<ByteSource> from_;
  std::string head_;
  std::size_t at_ = 0;
};

}  // namespace attrib::evidence
