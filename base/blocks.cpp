#include "base/blocks.h"

#include <pthread.h>
#include <sys/mman.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <mutex>

namespace attrib {
namespace {

// Sizes: multiples of 16 up to 256, from there four to each doubling.
constexpr std::size_t kStep = 16, kEvenUpTo = 256, kEven = kEvenUpTo / kStep;
constexpr unsigned kFirstDoubling = 9, kLastDoubling = 15;
constexpr std::size_t kSizes = kEven + std::size_t{4} * (kLastDoubling - kFirstDoubling + 1);
static_assert(std::size_t{1} << kLastDoubling == kLargestBlock);

std::size_t size_number(std::size_t bytes) {
  const std::size_t last = bytes == 0 ? 0 : bytes - 1;
  if (last < kEvenUpTo) return last / kStep;
  const auto width = static_cast<unsigned>(std::bit_width(last));
  return kEven + 4 * std::size_t{width - kFirstDoubling} + ((last >> (width - 3)) & 3U);
}

std::size_t size_of(std::size_t number) {
  if (number < kEven) return (number + 1) * kStep;
  const std::size_t past = number - kEven;
  return (past % 4 + 5) << (past / 4 + kFirstDoubling - 3);
}

// A span holds blocks of one size and begins with the number of it.
constexpr std::size_t kSpan = std::size_t{256} << 10U;
constexpr std::size_t kHeader = 64;

struct Free {
  Free* next;
};

// What one thread takes from and gives back to.
struct Cache {
  std::array<Free*, kSizes> free{};
  struct Rest {
    char* begin = nullptr;
    char* end = nullptr;
  };
  std::array<Rest, kSizes> rest{};  // Of the last span of the size.
  Cache* next = nullptr;            // Of those whose threads have ended.
};

// Of the address space. Reserved once, by the first thread that needs a span.
class Region {
 public:
  // Before anything is taken from it.
  void reserve() {
    for (std::size_t size = std::size_t{64} << 30U; size >= std::size_t{1} << 30U; size /= 4) {
      void* const at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (at == MAP_FAILED) continue;
      const std::size_t odd = number_of(at) % kSpan;
      begin_ = static_cast<char*>(at) + (odd == 0 ? 0 : kSpan - odd);
      size_ = size - kSpan;
      break;
    }
  }

  [[nodiscard]] bool holds(const void* block) const {
    return number_of(block) - number_of(begin_) < size_;
  }

  // Where the span begins in which the block lies.
  [[nodiscard]] char* span_of(const void* block) const {
    return begin_ + (number_of(block) - number_of(begin_)) / kSpan * kSpan;
  }

  // A fresh one; null: there is none left.
  char* span() {
    std::size_t at = used_.load();
    do {
      if (size_ - at < kSpan) return nullptr;
    } while (!used_.compare_exchange_weak(at, at + kSpan));
    return begin_ + at;
  }

 private:
  static std::uintptr_t number_of(const void* at) { return reinterpret_cast<std::uintptr_t>(at); }

  char* begin_ = nullptr;
  std::size_t size_ = 0;
  std::atomic<std::size_t> used_{0};
};

constinit Region region;

// Those whose threads have ended. Made when first used, which may be before any other thing of the program,
// and never taken apart.
class Caches {
 public:
  static Caches& all() {
    alignas(Caches) static char memory[sizeof(Caches)];
    static Caches* const kMade = new (memory) Caches;
    return *kMade;
  }

  // Of the thread, which has none yet: that of one that has ended, or a new one.
  Cache* give() {
    Cache* out = nullptr;
    {
      const std::lock_guard lock(mutex_);
      out = left_;
      if (out != nullptr) left_ = out->next;
    }
    if (out == nullptr) {
      void* const memory = std::malloc(sizeof(Cache));
      if (memory == nullptr) return nullptr;
      out = new (memory) Cache;
    }
    ::pthread_setspecific(key_, out);
    return out;
  }

 private:
  Caches() {
    ::pthread_key_create(&key_, leave);
    region.reserve();
  }
  static void leave(void* cache);

  std::mutex mutex_;
  Cache* left_ = nullptr;
  pthread_key_t key_{};
};

thread_local Cache* own = nullptr;

void Caches::leave(void* cache) {
  own = nullptr;
  Caches& caches = all();
  const std::lock_guard lock(caches.mutex_);
  auto* const left = static_cast<Cache*>(cache);
  left->next = caches.left_;
  caches.left_ = left;
}

// Null: none has been given back.
void* take_used(std::size_t number) {
  Free* const found = own->free[number];
  if (found != nullptr) own->free[number] = found->next;
  return found;
}

// A block where none has been given back, or the thread has no cache yet.
[[gnu::noinline]] void* take_new(std::size_t number) {
  if (own == nullptr) {
    own = Caches::all().give();
    if (own == nullptr) return nullptr;
    if (void* const used = take_used(number)) return used;
  }
  const std::size_t size = size_of(number);
  Cache::Rest& rest = own->rest[number];
  if (static_cast<std::size_t>(rest.end - rest.begin) < size) {
    char* const span = region.span();
    if (span == nullptr) return std::malloc(size);
    *reinterpret_cast<std::size_t*>(span) = number;
    rest = {span + kHeader, span + kSpan};
  }
  char* const out = rest.begin;
  rest.begin += size;
  return out;
}

}  // namespace

void* take_block(std::size_t bytes) {
  if (bytes > kLargestBlock) return std::malloc(bytes);
  const std::size_t number = size_number(bytes);
  if (own != nullptr) {
    if (void* const used = take_used(number)) return used;
  }
  return take_new(number);
}

void give_back_block(void* block) {
  if (block == nullptr) return;
  if (!region.holds(block)) return std::free(block);
  if (own == nullptr) own = Caches::all().give();
  if (own == nullptr) return;
  const std::size_t number = *reinterpret_cast<const std::size_t*>(region.span_of(block));
  auto* const freed = static_cast<Free*>(block);
  freed->next = own->free[number];
  own->free[number] = freed;
}

}  // namespace attrib
