#include "tools/attrib-vm/memory.h"

#ifdef ATTRIB_HAS_JEMALLOC
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <memory>

// jemalloc reads this when it starts: what was freed may be cut up for much smaller things.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "lg_extent_max_active_fit:20";  // NOLINT(*-avoid-non-const-global-variables)
}
#endif

namespace attrib::attrib_vm {

#ifdef ATTRIB_HAS_JEMALLOC
void begin_with_large_pages() {
  // What the loaded standard rules take. Larger ones gain nothing: the clearing of large pages costs a run that needs
  // hundreds of them as much as it saves.
  constexpr std::size_t kLarge = std::size_t{2} << 20U, kBytes = 3 * kLarge;
  const std::unique_ptr<void, decltype(&std::free)> all(std::malloc(kBytes), &std::free);
  void* begin = all.get();
  std::size_t size = kBytes;
  // Only whole ones are there to be had. That none are is no error.
  if (begin != nullptr && std::align(kLarge, kLarge, begin, size) != nullptr)
    madvise(begin, size / kLarge * kLarge, MADV_HUGEPAGE);
  // Freed, it is what the next allocations are cut from.
}
#else
void begin_with_large_pages() {}
#endif

}  // namespace attrib::attrib_vm
