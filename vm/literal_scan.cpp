#include "vm/literal_scan.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <utility>

#include "base/processor.h"
#include "model/search_window.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace attrib::vm {
namespace {

constexpr std::size_t kStride = model::kSearchStride;
constexpr std::size_t kWord = model::kGramBytes;
constexpr std::size_t kBlock = 32;  // Bytes an iteration: eight positions.
constexpr std::size_t kPositions = kBlock / kStride;

std::vector<model::SearchText> as_they_are(const std::vector<std::string>& texts) {
  std::vector<model::SearchText> out;
  for (const std::string& each : texts) out.push_back({each, false});
  return out;
}

bool is_short(const model::SearchText& each) { return each.text.size() < model::kMinFilterLiteral; }

// Takes the others out of `literals`.
std::vector<IndexedText> long_enough(std::vector<model::SearchText>* literals) {
  std::vector<IndexedText> out;
  out.reserve(literals->size());
  for (std::uint32_t i = 0; i < literals->size(); ++i) {
    model::SearchText& each = (*literals)[i];
    if (!is_short(each)) out.push_back({std::exchange(each, {}), i});
  }
  return out;
}

std::size_t longest_of(const std::vector<model::SearchText>& literals) {
  std::size_t out = 0;
  for (const model::SearchText& each : literals) out = std::max(out, each.text.size());
  return out;
}

}  // namespace

LiteralScan::LiteralScan(const std::vector<std::string>& literals, Code code)
    : LiteralScan(as_they_are(literals), code) {}

LiteralScan::LiteralScan(std::vector<model::SearchText> literals, Code code)
    : longest_(longest_of(literals)),
      words_(long_enough(&literals)),
      avx2_(code == Code::Best && may_use_avx2()) {
  for (std::uint32_t i = 0; i < literals.size(); ++i) {
    if (!literals[i].text.empty()) short_.add({std::move(literals[i]), i});
  }
}

void LiteralScan::find_portable(std::string_view stretch, Places* places) const {
  std::size_t count = 0;
  for (std::size_t at = 0; at < stretch.size(); at += kStride) {
    places->at[count] = static_cast<std::uint16_t>(at);
    count += words_.may_be_word(stretch.data() + at) ? 1 : 0;
  }
  places->count = count;
}

#if defined(__x86_64__)
namespace {

// Of each set of eight positions: where they begin in the block, side by side.
using Offsets = std::array<std::uint16_t, kPositions>;
constexpr std::array<Offsets, 256> kOffsets = [] {
  std::array<Offsets, 256> out{};
  for (std::size_t set = 0; set < out.size(); ++set) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < kPositions; ++i) {
      if ((set >> i & 1U) != 0) out[set][count++] = static_cast<std::uint16_t>(i * kStride);
    }
  }
  return out;
}();

}  // namespace

template <bool kFolded>
__attribute__((target("avx2,popcnt"))) void LiteralScan::find_avx2(std::string_view stretch,
                                                                   Places* places) const {
  const WordTable::Bitmap& bitmap = words_.bitmap();
  const auto* const bits = reinterpret_cast<const int*>(bitmap.words.data());
  const __m256i mixer = _mm256_set1_epi32(static_cast<int>(WordTable::kMix));
  const __m256i fold = _mm256_set1_epi32(static_cast<int>(bitmap.fold));
  const auto count = [](unsigned by) { return _mm_cvtsi32_si128(static_cast<int>(by)); };
  const __m128i shift = count(bitmap.shift), first = count(32U - bitmap.shift),
                second = count(32U - bitmap.shift + WordTable::kBitBits);
  constexpr int kRest = 32 - WordTable::kBitBits;
  const __m128i step = _mm_set1_epi16(kBlock);
  __m128i begin = _mm_setzero_si128();
  std::uint16_t* out = places->at.data();
  for (std::size_t at = 0; at < stretch.size(); at += kBlock) {
    __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(stretch.data() + at));
    if constexpr (kFolded) words = _mm256_or_si256(words, fold);
    const __m256i product = _mm256_mullo_epi32(words, mixer);
    const __m256i found = _mm256_i32gather_epi32(bits, _mm256_srl_epi32(product, shift), 4);
    // The wanted bits of each position, moved to the sign.
    const __m256i one = _mm256_srli_epi32(_mm256_sll_epi32(product, first), kRest),
                  other = _mm256_srli_epi32(_mm256_sll_epi32(product, second), kRest);
    const __m256i sign = _mm256_and_si256(_mm256_sllv_epi32(found, one), _mm256_sllv_epi32(found, other));
    const auto set = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(sign)));
    const __m128i offsets = _mm_loadu_si128(reinterpret_cast<const __m128i*>(kOffsets[set].data()));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm_add_epi16(offsets, begin));
    out += std::popcount(set);
    begin = _mm_add_epi16(begin, step);
  }
  places->count = static_cast<std::size_t>(out - places->at.data());
}
#else
template <bool kFolded>
void LiteralScan::find_avx2(std::string_view stretch, Places* places) const {
  find_portable(stretch, places);
}
#endif

// From `at` on; returns up to where all words have been looked at.
std::size_t LiteralScan::scan_stretches(std::string_view buffer, std::size_t at,
                                        std::vector<Hit>* hits) const {
  constexpr std::size_t kBehind = WordTable::kBehind - kStride;  // What is read behind a block.
  if (buffer.size() < at + kBlock + kBehind) return at;
  const std::size_t end = at + (buffer.size() - kBehind - at) / kBlock * kBlock;
  Places places;
  for (std::size_t size = 0; at < end; at += size) {
    size = std::min(end - at, Places::kStretch);
    const std::string_view stretch = buffer.substr(at, size);
    if (!avx2_) {
      find_portable(stretch, &places);
    } else if (words_.bitmap().fold != 0) {
      find_avx2<true>(stretch, &places);
    } else {
      find_avx2<false>(stretch, &places);
    }
    places.count = words_.sift(stretch.data(), std::span(places.at).first(places.count));
    for (std::size_t i = 0; i < places.count; ++i)
      words_.resolve(buffer, at + places.at[i], hits);
  }
  return at;
}

void LiteralScan::scan(std::string_view buffer, std::vector<Hit>* hits) const {
  hits->clear();
  if (!words_.empty()) {
    std::size_t at = 0;
    for (; at < WordTable::kBefore && at + kWord <= buffer.size(); at += kStride)
      words_.look_up(buffer, at, hits);
    at = scan_stretches(buffer, at, hits);
    for (; at + kWord <= buffer.size(); at += kStride) words_.look_up(buffer, at, hits);
  }
  if (!short_.empty()) short_.scan(buffer, avx2_, hits);
}

}  // namespace attrib::vm
