// What this program makes comes in blocks (base/blocks.h). Where sanitizers watch memory, it is theirs.

#include "base/blocks.h"

#include <new>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define ATTRIB_WATCHED_MEMORY 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ATTRIB_WATCHED_MEMORY 1
#endif

#if !defined(ATTRIB_WATCHED_MEMORY)

void* operator new(std::size_t bytes) {
  if (void* const out = attrib::take_block(bytes)) return out;
  throw std::bad_alloc();
}

void operator delete(void* block) noexcept { attrib::give_back_block(block); }
void operator delete(void* block, std::size_t /*bytes*/) noexcept { attrib::give_back_block(block); }

#endif
