#include "vm/short_literals.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace attrib::vm {
namespace {

constexpr unsigned kCaseBit = 0x20;  // By which small letters differ from capitals.

// Byte order does not matter: literals and buffers are loaded alike.
unsigned pair_at(const char* at) {
  std::uint16_t pair = 0;
  std::memcpy(&pair, at, sizeof(pair));
  return pair;
}

// All bytes that may stand at a place of a literal.
std::string bytes_at(const model::SearchText& text, std::size_t at) {
  std::string out;
  if (at < text.text.size()) {
    out += text.text[at];
    if (text.any_case && model::is_letter(text.text[at])) out += static_cast<char>(text.text[at] ^ kCaseBit);
  } else {
    for (unsigned byte = 0; byte < 256; ++byte) out += static_cast<char>(byte);
  }
  return out;
}

}  // namespace

void ShortLiterals::add(IndexedText text) {
  const auto& [bytes, any_case] = text.text;
  const std::size_t bucket = count_++ % buckets_.size();
  const auto bit = static_cast<std::uint8_t>(1U << bucket);
  for (std::size_t i = 0; i < kBytes; ++i) {
    const bool any = i >= bytes.size();
    const unsigned byte = any ? 0 : static_cast<unsigned char>(bytes[i]);
    const unsigned other = any_case && model::is_letter(bytes[i]) ? byte ^ kCaseBit : byte;
    for (unsigned half = 0; half < 16; ++half) {
      if (any || (byte & 15U) == half) low_[i][half] |= bit;
      if (i == 0 && (byte >> 4U == half || other >> 4U == half)) high_[half] |= bit;
    }
    // One that has ended stands in front of any byte.
    if (any || byte >= 0x80) plain_ = std::min(plain_, i);
  }
  add_pairs(text.text, 0);
  add_pairs(text.text, 1);
  buckets_[bucket].push_back(std::move(text));
}

void ShortLiterals::add_pairs(const model::SearchText& text, std::size_t at) {
  for (const char first : bytes_at(text, at)) {
    for (const char second : bytes_at(text, at + 1)) {
      const std::array<char, 2> both = {first, second};
      const unsigned pair = pair_at(both.data());
      pairs_[pair / 64] |= std::uint64_t{1} << (pair % 64);
    }
  }
}

void ShortLiterals::verify(std::string_view buffer, std::size_t at, unsigned buckets,
                           std::vector<LiteralHit>* hits) const {
  for (; buckets != 0; buckets &= buckets - 1) {
    for (const IndexedText& each : buckets_[static_cast<unsigned>(std::countr_zero(buckets))]) {
      if (begins_with(buffer.substr(at), each.text)) hits->push_back({at, each.literal});
    }
  }
}

#if defined(__x86_64__)
namespace {

constexpr std::size_t kVector = 32;

__attribute__((target("avx2"))) inline __m256i table_of(const std::array<std::uint8_t, 16>& bytes) {
  return _mm256_broadcastsi128_si256(
      _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data())));
}
__attribute__((target("avx2"))) inline __m256i vector_at(const char* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}
// What `table` has for the lower half of each byte; if all literals are plain there, nothing for bytes
// that are none of ASCII: so the shuffle does by itself.
template <bool kAllPlain>
__attribute__((target("avx2"))) inline __m256i by_lower(__m256i table, __m256i bytes) {
  if constexpr (kAllPlain) return _mm256_shuffle_epi8(table, bytes);
  return _mm256_shuffle_epi8(table, _mm256_and_si256(bytes, _mm256_set1_epi8(15)));
}

}  // namespace

// Returns up to where all literals that begin before have been found.
template <std::size_t kPlain>
__attribute__((target("avx2"))) std::size_t ShortLiterals::scan_avx2(
    std::string_view buffer, std::vector<LiteralHit>* hits) const {
  const __m256i low0 = table_of(low_[0]), low1 = table_of(low_[1]), low2 = table_of(low_[2]),
                high0 = table_of(high_), half = _mm256_set1_epi8(15);
  const auto buckets_at = [&](const char* from) __attribute__((target("avx2"), always_inline)) {
    const __m256i first = vector_at(from);
    const __m256i upper = _mm256_and_si256(_mm256_srli_epi16(first, 4), half);
    const __m256i one =
        _mm256_and_si256(_mm256_shuffle_epi8(high0, upper), by_lower<(kPlain > 0)>(low0, first));
    return _mm256_and_si256(one, _mm256_and_si256(by_lower<(kPlain > 1)>(low1, vector_at(from + 1)),
                                                  by_lower<(kPlain > 2)>(low2, vector_at(from + 2))));
  };
  const auto look = [&](std::size_t at) __attribute__((target("avx2"))) {
    alignas(kVector) std::array<std::uint8_t, kVector> buckets;  // NOLINT(*-member-init)
    const __m256i all = buckets_at(buffer.data() + at);
    _mm256_store_si256(reinterpret_cast<__m256i*>(buckets.data()), all);
    const __m256i none = _mm256_cmpeq_epi8(all, _mm256_setzero_si256());
    for (auto candidates = ~static_cast<std::uint32_t>(_mm256_movemask_epi8(none));
         candidates != 0; candidates &= candidates - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(candidates));
      verify(buffer, at + i, buckets[i], hits);
    }
  };
  std::size_t at = 0;
  const auto may_look = [&] { return at + 2 * kVector + kBytes <= buffer.size(); };
  // What was found is looked at later, so that the tables stay in registers.
  std::array<std::size_t, 64> found;  // NOLINT(*-member-init): written before it is read.
  while (may_look()) {
    std::size_t count = 0;
    for (; count < found.size() && may_look(); at += 2 * kVector) {
      const __m256i both = _mm256_or_si256(buckets_at(buffer.data() + at),
                                           buckets_at(buffer.data() + at + kVector));
      if (_mm256_testz_si256(both, both) == 0) found[count++] = at;
    }
    for (std::size_t i = 0; i < count; ++i) {
      look(found[i]);
      look(found[i] + kVector);
    }
  }
  return at;
}
#else
template <std::size_t kPlain>
std::size_t ShortLiterals::scan_avx2(std::string_view, std::vector<LiteralHit>*) const {
  return 0;
}
#endif

void ShortLiterals::scan(std::string_view buffer, bool avx2,
                         std::vector<LiteralHit>* hits) const {
  std::size_t at = 0;
  if (avx2) {
    at = plain_ == kBytes ? scan_avx2<kBytes>(buffer, hits)
         : plain_ == 2    ? scan_avx2<2>(buffer, hits)
                          : scan_avx2<0>(buffer, hits);
  }
  scan_portable(buffer, at, hits);
}

// One that begins here.
void ShortLiterals::look_at(std::string_view buffer, std::size_t at,
                            std::vector<LiteralHit>* hits) const {
  unsigned buckets = 0xFF;
  if (buffer.size() - at >= kBytes) {
    buckets = high_[static_cast<unsigned char>(buffer[at]) >> 4U];
    for (std::size_t i = 0; i < kBytes; ++i)
      buckets &= low_[i][static_cast<unsigned char>(buffer[at + i]) & 15U];
  }
  verify(buffer, at, buckets, hits);
}

// Those that begin at `begin` or behind: at every pair of bytes, or one byte before.
void ShortLiterals::scan_portable(std::string_view buffer, std::size_t begin,
                                  std::vector<LiteralHit>* hits) const {
  std::size_t at = begin;
  const auto look = [&] {
    if (at > begin) look_at(buffer, at - 1, hits);
    if (at < buffer.size()) look_at(buffer, at, hits);
  };
  for (; at + 2 <= buffer.size(); at += 2) {
    const unsigned pair = pair_at(buffer.data() + at);
    if ((pairs_[pair / 64] >> (pair % 64) & 1U) != 0) look();
  }
  look();
}

}  // namespace attrib::vm
