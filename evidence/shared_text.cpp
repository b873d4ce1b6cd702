#include "evidence/shared_text.h"

#include <cstring>
#include <new>

namespace attrib::evidence {

// At most 4 GiB: inputs are smaller (read.h).
void SharedText::assign(std::string_view text) {
  if (text.empty()) return;
  void* const room = ::operator new(sizeof(Block) + text.size());
  block_ = new (room) Block;
  block_->size = static_cast<std::uint32_t>(text.size());
  std::memcpy(static_cast<void*>(block_ + 1), text.data(), text.size());
}

void SharedText::drop() noexcept {
  // The last owner needs no other's leave, which is what most texts have.
  if (block_->owners.load(std::memory_order_acquire) != 1 &&
      block_->owners.fetch_sub(1, std::memory_order_acq_rel) != 1) {
    return;
  }
  block_->~Block();
  ::operator delete(block_);
}

}  // namespace attrib::evidence
