#include "evidence/line_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "evidence/read.h"

namespace attrib::evidence {

Status LineBlocks::fill(std::size_t to) {
  if (more_ != nullptr && buffer_.size() < to) buffer_.resize(to);
  while (more_ != nullptr && filled_ < to) {
    ATTRIB_TRY(const std::size_t got, more_->read(buffer_.data() + filled_, to - filled_));
    filled_ += got;
    if (got == 0) more_ = nullptr;
  }
  return Done{};
}

Result<std::string_view> LineBlocks::next() {
  std::memmove(buffer_.data(), buffer_.data() + given_, filled_ - given_);
  filled_ -= given_;
  given_ = 0;
  std::size_t looked = 0;  // No line end before.
  for (std::size_t wanted = kBlockBytes;; wanted *= 2) {
    if (auto status = fill(wanted); !status) return status.error();
    const std::string_view rest = std::string_view(buffer_).substr(looked, filled_ - looked);
    const std::size_t last = rest.rfind('\n');
    if (last != std::string_view::npos) {
      given_ = looked + last + 1;
      break;
    }
    if (more_ == nullptr) {
      given_ = filled_;
      break;
    }
    looked = filled_;
    if (looked > kMaxInputBytes)
      return Error{fmt::format("{}: a line of more than {} bytes", name_, kMaxInputBytes)};
  }
  return std::string_view(buffer_).substr(0, given_);
}

}  // namespace attrib::evidence
