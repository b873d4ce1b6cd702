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

constexpr std::size_t kStride = model::kSearchStride;
constexpr std::size_t kGram = model::kGramBytes;
constexpr std::size_t kBlock = 32;  // Bytes an iteration: eight positions.

constexpr unsigned char kCaseBit = 0x20;      // By which small letters differ from capitals.
constexpr std::uint32_t kFold = 0x20202020U;  // The same in each byte of a word.

constexpr std::uint32_t kMix = 0x85EBCA6BU;
// A bit for each word leaves a table of 16 KiB nearly empty, or else one of 32.
constexpr unsigned kFewBits = 17, kManyBits = 18;
constexpr std::size_t kManyWords = 2000;

// Byte order does not matter: literals and buffers are loaded alike.
std::uint32_t load4(const char* at) {
  std::uint32_t word = 0;
  std::memcpy(&word, at, sizeof(word));
  return word;
}
std::uint64_t load8(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof(word));
  return word;
}
std::uint32_t mix(std::uint32_t gram) { return gram * kMix; }
// The upper bits of the product depend on all bytes, the lower ones on the first.
std::size_t slot_of(std::uint32_t gram, unsigned shift) { return (gram * 0x9E3779B1U) >> shift; }

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
  const bool any_case = std::any_of(literals_.begin(), literals_.end(),
                                    [](const auto& each) { return each.any_case; });
  if (any_case) fold_ = kFold;
  for (std::uint32_t i = 0; i < literals_.size(); ++i) {
    const std::size_t size = literals_[i].text.size();
    longest_ = std::max(longest_, size);
    if (size >= model::kMinFilterLiteral) {
      sample(i);
    } else {
      add_tiny(i);
    }
  }
  build();
}

void LiteralScan::sample(std::uint32_t literal) {
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
    entry.gram = load4(text.data() + at) | fold_;
    entry.offset = static_cast<std::uint32_t>(at);
    entries_.push_back(entry);
  }
}

void LiteralScan::build() {
  if (entries_.empty()) return;
  bits_ = entries_.size() < kManyWords ? kFewBits : kManyBits;
  bitmap_.assign((std::size_t{1} << bits_) / 32, 0);
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.gram, a.offset, a.mask, a.fold, a.head, a.literal) <
           std::tie(b.gram, b.offset, b.mask, b.fold, b.head, b.literal);
  });
  for (std::size_t i = entries_.size() - 1; i-- > 0;) {
    const Entry &here = entries_[i], &next = entries_[i + 1];
    if (here.gram == next.gram && here.offset == next.offset && here.mask == next.mask &&
        here.fold == next.fold)
      entries_[i].alike = next.alike + 1;
  }
  std::size_t words = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const std::uint32_t bit = mix(entries_[i].gram) >> (32U - bits_);
    bitmap_[bit / 32] |= 1U << (bit % 32);
    words += i == 0 || entries_[i].gram != entries_[i - 1].gram ? 1 : 0;
  }
  slots_.assign(std::bit_ceil(2 * words), {});
  slot_shift_ = 32U - static_cast<unsigned>(std::countr_zero(slots_.size()));
  const auto any_of = [](std::string_view text, std::size_t at) {
    return at < text.size() ? 1U << (static_cast<unsigned char>(text[at]) & 31U) : ~0U;
  };
  std::size_t slot = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    if (i == 0 || entry.gram != entries_[i - 1].gram) {
      slot = slot_of(entry.gram, slot_shift_);
      while (slots_[slot].first != 0) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = {entry.gram, 0, 0, static_cast<std::uint32_t>(i + 1)};
    }
    const std::string_view text = literals_[entry.literal].text;
    slots_[slot].before |= entry.offset == 0 ? ~0U : any_of(text, entry.offset - 1);
    slots_[slot].behind |= any_of(text, entry.offset + kGram);
  }
}

// The entries [begin, end) have all but their heads alike: one load tells which may lie here.
void LiteralScan::look_among(std::size_t begin, std::size_t end, std::string_view buffer,
                             std::size_t at, std::vector<Hit>* hits) const {
  const Entry& first = entries_[begin];
  if (first.offset > at) return;
  const std::size_t from = at - first.offset;
  const bool at_hand = buffer.size() - from >= sizeof(first.head);
  const std::uint64_t here =
      at_hand ? (load8(buffer.data() + from) & first.mask) | first.fold : std::uint64_t{0};
  constexpr std::size_t kFew = 4;
  if (at_hand && end - begin > kFew) {
    const auto found = std::partition_point(
        entries_.begin() + static_cast<std::ptrdiff_t>(begin),
        entries_.begin() + static_cast<std::ptrdiff_t>(end),
        [here](const Entry& each) { return each.head < here; });
    begin = static_cast<std::size_t>(found - entries_.begin());
  }
  for (; begin < end; ++begin) {
    const Entry& entry = entries_[begin];
    if (at_hand && entry.head > here) return;
    if (at_hand && entry.head != here) continue;
    if (begins_with(buffer.substr(from), literals_[entry.literal]))
      hits->push_back({from, entry.literal});
  }
}

void LiteralScan::resolve(std::string_view buffer, std::size_t at, std::vector<Hit>* hits) const {
  const std::uint32_t gram = load4(buffer.data() + at) | fold_;
  const auto low_bits = [&](std::size_t place) {
    return static_cast<unsigned char>(buffer[place]) & 31U;
  };
  std::size_t slot = slot_of(gram, slot_shift_);
  for (; slots_[slot].first != 0; slot = (slot + 1) & (slots_.size() - 1)) {
    const Slot& here = slots_[slot];
    if (here.gram != gram) continue;
    if (at > 0 && (here.before >> low_bits(at - 1) & 1U) == 0) return;
    if (at + kGram < buffer.size() && (here.behind >> low_bits(at + kGram) & 1U) == 0) return;
    for (std::size_t i = here.first - 1; i < entries_.size() && entries_[i].gram == gram;) {
      const std::size_t end = i + entries_[i].alike;
      look_among(i, end, buffer, at, hits);
      i = end;
    }
    return;
  }
}

// Which blocks of 32 bytes have candidates, and of these each that the bytes around it do not rule
// out: lists are written without a branch for each block or candidate, since what comes next in a log
// cannot be guessed, and a wrong guess costs as much as the search of a hundred bytes.
void LiteralScan::resolve_all(std::string_view buffer, const Blocks& blocks,
                              std::vector<Hit>* hits) const {
  std::array<std::size_t, Blocks::kMost> places;  // NOLINT(*-member-init): written before it is read.
  std::size_t count = 0;
  const auto resolve_places = [&] {
    for (std::size_t i = 0; i < count; ++i) resolve(buffer, places[i], hits);
    count = 0;
  };
  for (std::size_t i = 0; i < blocks.count; ++i) {
    for (std::uint32_t candidates = blocks.candidates[i]; candidates != 0;
         candidates &= candidates - 1) {
      const std::size_t at = blocks.begin + blocks.at[i] +
                             kStride * static_cast<std::size_t>(std::countr_zero(candidates));
      places[count] = at;
      count += may_lie(buffer, at);
    }
    if (count + kBlock / kStride > places.size()) resolve_places();
  }
  resolve_places();
}

// Nearly as resolve() asks. Bytes before and behind the word must be in the buffer.
bool LiteralScan::may_lie(std::string_view buffer, std::size_t at) const {
  const std::uint32_t gram = load4(buffer.data() + at) | fold_;
  const Slot& here = slots_[slot_of(gram, slot_shift_)];
  const auto fits = [&](std::uint32_t among, std::size_t place) {
    return among >> (static_cast<unsigned char>(buffer[place]) & 31U) & 1U;
  };
  const std::uint32_t around = fits(here.before, at - 1) & fits(here.behind, at + kGram);
  const std::uint32_t other = here.gram != gram ? 1U : 0U;  // Of another word: ours may be behind it.
  return ((other | around) & (here.first != 0 ? 1U : 0U)) != 0;
}

void LiteralScan::find_portable(std::string_view buffer, std::size_t end, Blocks* blocks) const {
  const std::uint32_t* const bitmap = bitmap_.data();
  const unsigned shift = 32U - bits_;
  for (std::size_t at = blocks->begin; at < end; at += kBlock) {
    const char* const block = buffer.data() + at;
    std::uint32_t candidates = 0;
    for (unsigned k = 0; k < kBlock / kStride; ++k) {
      const std::uint32_t bit = mix(load4(block + k * kStride) | fold_) >> shift;
      candidates |= (bitmap[bit / 32] >> (bit % 32) & 1U) << k;
    }
    blocks->add(at, candidates);
  }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) void LiteralScan::find_avx2(std::string_view buffer,
                                                            std::size_t end,
                                                            Blocks* blocks) const {
  const auto* const bitmap = reinterpret_cast<const int*>(bitmap_.data());
  const __m256i mixer = _mm256_set1_epi32(static_cast<int>(kMix));
  const __m256i low_bits = _mm256_set1_epi32(31);
  const __m256i fold = _mm256_set1_epi32(static_cast<int>(fold_));
  const __m128i shift = _mm_cvtsi32_si128(static_cast<int>(32U - bits_));
  for (std::size_t at = blocks->begin; at < end; at += kBlock) {
    const char* const block = buffer.data() + at;
    const __m256i words =
        _mm256_or_si256(fold, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block)));
    const __m256i bit = _mm256_srl_epi32(_mm256_mullo_epi32(words, mixer), shift);
    const __m256i found = _mm256_i32gather_epi32(bitmap, _mm256_srli_epi32(bit, 5), 4);
    // The wanted bit of each position, moved to the sign.
    const __m256i sign =
        _mm256_sllv_epi32(found, _mm256_sub_epi32(low_bits, _mm256_and_si256(bit, low_bits)));
    blocks->add(at, static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(sign))));
  }
}
#else
void LiteralScan::find_avx2(std::string_view buffer, std::size_t end, Blocks* blocks) const {
  find_portable(buffer, end, blocks);
}
#endif

// Returns up to where all words have been looked at.
std::size_t LiteralScan::scan_blocks(std::string_view buffer, std::vector<Hit>* hits) const {
  // The first word has no byte before it, and the last of the buffer none behind.
  if (buffer.size() < 2 * kBlock) return 0;
  std::size_t at = 0;
  for (; at < kBlock; at += kStride) resolve(buffer, at, hits);
  const std::size_t end = at + (buffer.size() - 1 - at) / kBlock * kBlock;
  Blocks blocks;
  while (at < end) {
    blocks.begin = at;
    blocks.count = 0;
    at = std::min(end, at + Blocks::kMost * kBlock);
    if (avx2_) {
      find_avx2(buffer, at, &blocks);
    } else {
      find_portable(buffer, at, &blocks);
    }
    resolve_all(buffer, blocks, hits);
  }
  return at;
}

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
  if (!entries_.empty()) {
    std::size_t at = scan_blocks(buffer, hits);
    for (; at + kGram <= buffer.size(); at += kStride) resolve(buffer, at, hits);
  }
  if (tiny_count_ > 0) scan_tiny(buffer, hits);
}

}  // namespace attrib::vm
