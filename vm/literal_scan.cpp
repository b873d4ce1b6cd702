#include "vm/literal_scan.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>
#include <utility>

#include "base/processor.h"
#include "model/search_window.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace attrib::vm {
namespace {

using model::kLongGram;
using model::kShortGram;
constexpr std::size_t kStride = model::kSearchStride;
constexpr std::size_t kLongLiteral = model::kLongFilterLiteral;
constexpr std::size_t kShortLiteral = model::kMinFilterLiteral;
constexpr std::size_t kBlock = 32;  // Bytes an iteration: eight positions.
constexpr std::size_t kAhead = 8;   // Bytes past the block that its last word may need.

constexpr unsigned char kCaseBit = 0x20;      // By which small letters differ from capitals.
constexpr std::uint32_t kFold = 0x20202020U;  // The same in each byte of a word.

constexpr std::uint32_t kMixLong = 0x9E3779B1U, kMixShort = 0x85EBCA6BU;

// Byte order does not matter: literals and buffers are loaded alike.
std::uint32_t load4(const char* at) {
  std::uint32_t word = 0;
  std::memcpy(&word, at, sizeof(word));
  return word;
}
std::uint32_t mix_long(std::uint32_t low, std::uint32_t high) {
  return (low + (high << 5U) + (high >> 7U)) * kMixLong;
}
std::uint32_t mix_short(std::uint32_t low) { return low * kMixShort; }

std::uint64_t gram_at(const char* at, std::size_t bytes) {
  const std::uint64_t low = load4(at);
  return bytes == kLongGram ? low | std::uint64_t{load4(at + 4)} << 32U : low;
}
std::uint32_t mixed(std::uint64_t gram, std::size_t bytes) {
  const auto low = static_cast<std::uint32_t>(gram), high = static_cast<std::uint32_t>(gram >> 32U);
  return bytes == kLongGram ? mix_long(low, high) : mix_short(low);
}
std::uint32_t bucket_hash(std::uint64_t gram) {
  return static_cast<std::uint32_t>((gram * 0x9E3779B97F4A7C15U) >> 33U);
}

void set_byte(std::uint64_t* word, std::size_t at, unsigned char byte) {
  std::memcpy(reinterpret_cast<char*>(word) + at, &byte, 1);
}

bool begins_with(std::string_view text, const model::SearchText& literal) {
  if (!literal.any_case) return text.starts_with(literal.text);
  return text.size() >= literal.text.size() && model::equal_any_case(text.data(), literal.text);
}

std::vector<model::SearchText> as_they_are(const std::vector<std::string>& texts) {
  std::vector<model::SearchText> out;
  for (const std::string& each : texts) out.push_back({each, false});
  return out;
}

}  // namespace

LiteralScan::LiteralScan(const std::vector<std::string>& literals, Code code)
    : LiteralScan(as_they_are(literals), code) {}

LiteralScan::LiteralScan(std::vector<model::SearchText> literals, Code code)
    : literals_(std::move(literals)), avx2_(code == Code::Best && may_use_avx2()) {
  long_.gram_bytes = kLongGram;
  long_.bits = 18;
  short_.gram_bytes = kShortGram;
  short_.bits = 16;
  const bool any_case = std::any_of(literals_.begin(), literals_.end(),
                                    [](const auto& each) { return each.any_case; });
  if (any_case) fold_ = kFold;
  long_.fold = fold_ | std::uint64_t{fold_} << 32U;
  short_.fold = fold_;
  for (std::uint32_t i = 0; i < literals_.size(); ++i) {
    const std::size_t size = literals_[i].text.size();
    longest_ = std::max(longest_, size);
    if (size >= kLongLiteral) {
      sample(i, &long_);
    } else if (size >= kShortLiteral) {
      sample(i, &short_);
    } else {
      add_tiny(i);
    }
  }
  long_.build();
  short_.build();
}

void LiteralScan::sample(std::uint32_t literal, Sampled* into) {
  const auto& [text, any_case] = literals_[literal];
  const std::size_t first = fold_ == 0 ? model::rarest_window(text).at
                                       : model::rarest_window(model::to_lower(text), true).at;
  Entry entry;
  entry.literal = literal;
  for (std::size_t i = 0; i < sizeof(entry.head) && i < text.size(); ++i) {
    set_byte(&entry.head, i, static_cast<unsigned char>(text[i]));
    set_byte(&entry.mask, i, 0xff);
    if (any_case && model::is_letter(text[i])) set_byte(&entry.fold, i, kCaseBit);
  }
  for (std::size_t at = first; at < first + kStride; ++at) {
    entry.gram = gram_at(text.data() + at, into->gram_bytes) | into->fold;
    entry.offset = static_cast<std::uint32_t>(at);
    into->entries.push_back(entry);
  }
}

void LiteralScan::Sampled::build() {
  if (entries.empty()) return;
  bitmap.assign((std::size_t{1} << bits) / 32, 0);
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.gram, a.literal, a.offset) < std::tie(b.gram, b.literal, b.offset);
  });
  buckets.assign(std::bit_ceil(entries.size() * 4), 0);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::uint32_t bit = mixed(entries[i].gram, gram_bytes) >> (32U - bits);
    bitmap[bit / 32] |= 1U << (bit % 32);
    if (i > 0 && entries[i].gram == entries[i - 1].gram) continue;
    std::size_t bucket = bucket_hash(entries[i].gram) & (buckets.size() - 1);
    while (buckets[bucket] != 0) bucket = (bucket + 1) & (buckets.size() - 1);
    buckets[bucket] = static_cast<std::uint32_t>(i + 1);
  }
}

void LiteralScan::Sampled::look_up(std::uint64_t gram, std::string_view buffer, std::size_t at,
                                   const std::vector<model::SearchText>& literals,
                                   std::vector<Hit>* hits) const {
  std::size_t bucket = bucket_hash(gram) & (buckets.size() - 1);
  for (; buckets[bucket] != 0; bucket = (bucket + 1) & (buckets.size() - 1)) {
    std::size_t i = buckets[bucket] - 1;
    if (entries[i].gram != gram) continue;
    for (; i < entries.size() && entries[i].gram == gram; ++i) {
      const Entry& entry = entries[i];
      if (entry.offset > at) continue;
      const std::size_t begin = at - entry.offset;
      if (buffer.size() - begin >= sizeof(entry.head)) {
        const std::uint64_t here = gram_at(buffer.data() + begin, sizeof(entry.head));
        if (((here & entry.mask) | entry.fold) != entry.head) continue;
      }
      if (begins_with(buffer.substr(begin), literals[entry.literal]))
        hits->push_back({begin, entry.literal});
    }
    return;
  }
}

bool LiteralScan::Sampled::may_hold(std::uint64_t gram) const {
  if (entries.empty()) return false;
  const std::uint32_t bit = mixed(gram, gram_bytes) >> (32U - bits);
  return (bitmap[bit / 32] >> (bit % 32) & 1U) != 0;
}

void LiteralScan::resolve(std::string_view buffer, std::size_t at, std::vector<Hit>* hits) const {
  for (const Sampled* each : {&long_, &short_}) {
    if (at + each->gram_bytes > buffer.size()) continue;
    const std::uint64_t gram = gram_at(buffer.data() + at, each->gram_bytes) | each->fold;
    if (each->may_hold(gram)) each->look_up(gram, buffer, at, literals_, hits);
  }
}

template <bool kLong, bool kShort>
std::size_t LiteralScan::scan_portable(std::string_view buffer, std::vector<Hit>* hits) const {
  const std::uint32_t *const longs = long_.bitmap.data(), *const shorts = short_.bitmap.data();
  const unsigned long_shift = 32U - long_.bits, short_shift = 32U - short_.bits;
  std::size_t at = 0;
  for (; at + kBlock + kAhead <= buffer.size(); at += kBlock) {
    const char* const block = buffer.data() + at;
    std::uint32_t candidates = 0;
    std::uint32_t next = load4(block) | fold_;
    for (unsigned k = 0; k < kBlock / kStride; ++k) {
      const std::uint32_t low = next;
      next = load4(block + (k + 1) * kStride) | fold_;
      std::uint32_t found = 0;
      if constexpr (kLong) {
        const std::uint32_t bit = mix_long(low, next) >> long_shift;
        found |= longs[bit / 32] >> (bit % 32);
      }
      if constexpr (kShort) {
        const std::uint32_t bit = mix_short(low) >> short_shift;
        found |= shorts[bit / 32] >> (bit % 32);
      }
      candidates |= (found & 1U) << k;
    }
    for (; candidates != 0; candidates &= candidates - 1)
      resolve(buffer, at + kStride * static_cast<std::size_t>(std::countr_zero(candidates)), hits);
  }
  return at;
}

#if defined(__x86_64__)
template <bool kLong, bool kShort>
__attribute__((target("avx2"))) std::size_t LiteralScan::scan_avx2(std::string_view buffer,
                                                                   std::vector<Hit>* hits) const {
  const auto* const longs = reinterpret_cast<const int*>(long_.bitmap.data());
  const auto* const shorts = reinterpret_cast<const int*>(short_.bitmap.data());
  const __m256i long_mix = _mm256_set1_epi32(static_cast<int>(kMixLong));
  const __m256i short_mix = _mm256_set1_epi32(static_cast<int>(kMixShort));
  const __m256i low_bits = _mm256_set1_epi32(31);
  const __m256i fold = _mm256_set1_epi32(static_cast<int>(fold_));
  const __m128i long_shift = _mm_cvtsi32_si128(static_cast<int>(32U - long_.bits));
  const __m128i short_shift = _mm_cvtsi32_si128(static_cast<int>(32U - short_.bits));
  std::size_t at = 0;
  for (; at + kBlock + kAhead <= buffer.size(); at += kBlock) {
    const char* const block = buffer.data() + at;
    const __m256i low =
        _mm256_or_si256(fold, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block)));
    // The wanted bit of each position, moved to the sign.
    const auto told = [&](__m256i word, __m256i bit) __attribute__((target("avx2"))) {
      const __m256i moved =
          _mm256_sllv_epi32(word, _mm256_sub_epi32(low_bits, _mm256_and_si256(bit, low_bits)));
      return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(moved)));
    };
    const auto look = [&](const Sampled& sampled, std::uint32_t candidates) {
      for (; candidates != 0; candidates &= candidates - 1) {
        const std::size_t place = at + kStride * static_cast<std::size_t>(std::countr_zero(candidates));
        const std::uint64_t gram = gram_at(buffer.data() + place, sampled.gram_bytes) | sampled.fold;
        sampled.look_up(gram, buffer, place, literals_, hits);
      }
    };
    if constexpr (kLong) {
      const __m256i high =
          _mm256_or_si256(fold, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block + 4)));
      const __m256i sum = _mm256_add_epi32(
          low, _mm256_add_epi32(_mm256_slli_epi32(high, 5), _mm256_srli_epi32(high, 7)));
      const __m256i bit = _mm256_srl_epi32(_mm256_mullo_epi32(sum, long_mix), long_shift);
      look(long_, told(_mm256_i32gather_epi32(longs, _mm256_srli_epi32(bit, 5), 4), bit));
    }
    if constexpr (kShort) {
      const __m256i bit = _mm256_srl_epi32(_mm256_mullo_epi32(low, short_mix), short_shift);
      look(short_, told(_mm256_i32gather_epi32(shorts, _mm256_srli_epi32(bit, 5), 4), bit));
    }
  }
  return at;
}
#else
template <bool kLong, bool kShort>
std::size_t LiteralScan::scan_avx2(std::string_view buffer, std::vector<Hit>* hits) const {
  return scan_portable<kLong, kShort>(buffer, hits);
}
#endif

// A literal shorter than three bytes goes with whatever follows it.
void LiteralScan::add_tiny(std::uint32_t literal) {
  const auto& [text, any_case] = literals_[literal];
  const std::size_t bucket = tiny_count_++ % tiny_.buckets.size();
  const auto bit = static_cast<std::uint8_t>(1U << bucket);
  for (std::size_t i = 0; i < Tiny::kBytes; ++i) {
    const char letter = i < text.size() ? text[i] : '\0';
    const unsigned byte = static_cast<unsigned char>(letter);
    const unsigned other = any_case && model::is_letter(letter) ? byte ^ kCaseBit : byte;
    for (std::size_t nibble = 0; nibble < 16; ++nibble) {
      const bool any = i >= text.size();
      if (any || (byte & 15U) == nibble) tiny_.low[i][nibble] |= bit;
      if (any || byte >> 4U == nibble || other >> 4U == nibble) tiny_.high[i][nibble] |= bit;
    }
  }
  tiny_.buckets[bucket].push_back(literal);
}

void LiteralScan::verify_tiny(std::string_view buffer, std::size_t at, unsigned buckets,
                              std::vector<Hit>* hits) const {
  for (; buckets != 0; buckets &= buckets - 1) {
    for (const std::uint32_t literal : tiny_.buckets[static_cast<unsigned>(std::countr_zero(buckets))]) {
      if (begins_with(buffer.substr(at), literals_[literal])) hits->push_back({at, literal});
    }
  }
}

#if defined(__x86_64__)
namespace {

__attribute__((target("avx2"))) inline __m256i nibble_table(
    const std::array<std::uint8_t, 16>& bytes) {
  return _mm256_broadcastsi128_si256(
      _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data())));
}

// The buckets that each of 32 bytes belongs to.
__attribute__((target("avx2"))) inline __m256i nibble_match(const char* from, __m256i low,
                                                            __m256i high) {
  const __m256i nibble = _mm256_set1_epi8(15);
  const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  const __m256i upper = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), nibble);
  return _mm256_and_si256(_mm256_shuffle_epi8(low, _mm256_and_si256(bytes, nibble)),
                          _mm256_shuffle_epi8(high, upper));
}

}  // namespace

__attribute__((target("avx2"))) std::size_t LiteralScan::scan_tiny_avx2(
    std::string_view buffer, std::vector<Hit>* hits) const {
  const __m256i low0 = nibble_table(tiny_.low[0]), low1 = nibble_table(tiny_.low[1]), low2 = nibble_table(tiny_.low[2]);
  const __m256i high0 = nibble_table(tiny_.high[0]), high1 = nibble_table(tiny_.high[1]),
                high2 = nibble_table(tiny_.high[2]);
  std::size_t at = 0;
  alignas(32) std::array<std::uint8_t, kBlock> buckets{};
  for (; at + kBlock + Tiny::kBytes <= buffer.size(); at += kBlock) {
    const char* const here = buffer.data() + at;
    const __m256i all = _mm256_and_si256(
        nibble_match(here, low0, high0),
        _mm256_and_si256(nibble_match(here + 1, low1, high1), nibble_match(here + 2, low2, high2)));
    auto candidates = ~static_cast<std::uint32_t>(
        _mm256_movemask_epi8(_mm256_cmpeq_epi8(all, _mm256_setzero_si256())));
    if (candidates == 0) continue;
    _mm256_store_si256(reinterpret_cast<__m256i*>(buckets.data()), all);
    for (; candidates != 0; candidates &= candidates - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(candidates));
      verify_tiny(buffer, at + i, buckets[i], hits);
    }
  }
  return at;
}
#else
std::size_t LiteralScan::scan_tiny_avx2(std::string_view, std::vector<Hit>*) const { return 0; }
#endif

void LiteralScan::scan_tiny(std::string_view buffer, std::vector<Hit>* hits) const {
  std::size_t at = avx2_ ? scan_tiny_avx2(buffer, hits) : 0;
  const auto nibbles = [this](std::size_t i, char c) {
    const auto byte = static_cast<unsigned char>(c);
    return static_cast<unsigned>(tiny_.low[i][byte & 15U] & tiny_.high[i][byte >> 4U]);
  };
  for (; at + Tiny::kBytes <= buffer.size(); ++at) {
    const unsigned buckets =
        nibbles(0, buffer[at]) & nibbles(1, buffer[at + 1]) & nibbles(2, buffer[at + 2]);
    if (buckets != 0) verify_tiny(buffer, at, buckets, hits);
  }
  for (; at < buffer.size(); ++at) verify_tiny(buffer, at, nibbles(0, buffer[at]), hits);
}

void LiteralScan::scan(std::string_view buffer, std::vector<Hit>* hits) const {
  hits->clear();
  std::size_t at = 0;
  const bool longs = !long_.entries.empty(), shorts = !short_.entries.empty();
  if (longs && shorts) {
    at = avx2_ ? scan_avx2<true, true>(buffer, hits) : scan_portable<true, true>(buffer, hits);
  } else if (longs) {
    at = avx2_ ? scan_avx2<true, false>(buffer, hits) : scan_portable<true, false>(buffer, hits);
  } else if (shorts) {
    at = avx2_ ? scan_avx2<false, true>(buffer, hits) : scan_portable<false, true>(buffer, hits);
  }
  for (; at + kShortGram <= buffer.size(); at += kStride) resolve(buffer, at, hits);
  if (tiny_count_ > 0) scan_tiny(buffer, hits);
}

}  // namespace attrib::vm
