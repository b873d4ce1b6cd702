#include "tools/attrib-vm/memory.h"

#ifdef ATTRIB_HAS_JEMALLOC
#include <sys/mman.h>

#include <array>
#include <cstddef>
#include <cstdlib>

// jemalloc reads this when it starts: what was freed may be cut up for much smaller things.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "lg_extent_max_active_fit:20";  // NOLINT(*-avoid-non-const-global-variables)
}
#endif

namespace attrib::attrib_vm {

#ifdef ATTRIB_HAS_JEMALLOC
void begin_with_large_pages() {
  // What the standard rules and some thousands of observations take. More gains nothing: clearing hundreds of large pages
  // takes a run as long as it saves. jemalloc keeps blocks of 8 MiB and more apart, hence two.
  constexpr std::size_t kLarge = std::size_t{2} << 20U, kBytes = 3 * kLarge;
  std::array<void*, 2> blocks{};
  for (void*& block : blocks) {
    block = std::aligned_alloc(kLarge, kBytes);
    if (block != nullptr) madvise(block, kBytes, MADV_HUGEPAGE);  // That none are to be had is no error.
  }
  // Freed, they are what the next allocations are cut from.
  for (void* block : blocks) std::free(block);
}
#else
void begin_with_large_pages() {}
#endif

}  // namespace attrib::attrib_vm
