#include "vm/word_table.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <tuple>
#include <utility>

#include "model/search_window.h"

namespace attrib::vm {
namespace {

constexpr std::size_t kWord = model::kGramBytes;
constexpr std::size_t kAround = 8;  // Bytes: half of them before the word, half behind it.
static_assert(WordTable::kBefore == kAround / 2 && WordTable::kBehind == kWord + kAround / 2);

constexpr std::uint32_t kFold = 0x20202020U;  // By which small letters differ from capitals.

// Two bits for each word leave a table of 16 KiB nearly empty, or else one of 32, beside which the first
// cache has no room for the log.
constexpr unsigned kFewBits = 17, kManyBits = 18;
constexpr std::size_t kManyWords = 12'000;  // Each as often as there are literals with it.

// Byte order does not matter: literals and buffers are loaded alike.
std::uint32_t load4(const char* at) {
  std::uint32_t word = 0;
  std::memcpy(&word, at, sizeof(word));
  return word;
}
std::uint64_t load_around(const char* at) {
  return load4(at - WordTable::kBefore) | std::uint64_t{load4(at + kWord)} << 32U;
}
// Which of 64 bits.
std::uint64_t hash_of(std::uint64_t around) { return around * 0x9E3779B97F4A7C15U >> 58U; }
std::uint64_t hash_bit(std::uint64_t around) { return std::uint64_t{1} << hash_of(around); }

constexpr std::size_t kBitsOfEntry = 8;  // Of the bitmap of what is around; most are set by none.
// Those that have a word near their end know more bytes before it.
std::size_t test_of(std::uint8_t set) { return std::popcount(set & 0xFU) >= 2 ? 1 : 0; }

}  // namespace

struct WordTable::Made {
  std::uint32_t word = 0;
  unsigned known = 0;
  Entry entry;
};

std::uint64_t WordTable::around(const char* at) const { return load_around(at) | fold_around_; }

// Of a word with some of the bytes around it, in its bitmap.
std::size_t WordTable::bit_of(std::uint32_t word, std::uint64_t around) const {
  return (around ^ word * 0xC2B2AE3D27D4EB4FU) * 0x9E3779B97F4A7C15U >> around_shift_;
}

std::uint32_t WordTable::slot_of(std::uint32_t word) const {
  return (word * seconds_[word * kMix >> second_shift_]) >> slot_shift_;
}

WordTable::WordTable(std::vector<IndexedText> texts) : texts_(std::move(texts)) {
  if (texts_.empty()) return;
  const bool any_case = std::any_of(texts_.begin(), texts_.end(),
                                    [](const IndexedText& each) { return each.text.any_case; });
  if (any_case) {
    bitmap_.fold = kFold;
    fold_around_ = kFold | std::uint64_t{kFold} << 32U;
  }
  for (std::size_t set = 0; set < known_.size(); ++set) {
    std::array<char, kAround + kWord> bytes{};
    for (std::size_t i = 0; i < kAround; ++i)
      bytes.at(i < kBefore ? i : i + kWord) = (set >> i & 1U) != 0 ? '\xff' : '\0';
    known_[set] = load_around(bytes.data() + kBefore);
  }
  std::vector<Made> made;
  make_entries(&made);
  make_groups(made);
  make_slots(made);
  const unsigned bits = made.size() < kManyWords ? kFewBits : kManyBits;
  bitmap_.words.resize((std::size_t{1} << bits) / 32);
  bitmap_.shift = 32U - (bits - kBitBits);
  for (const Made& each : made) {
    const std::uint32_t product = each.word * kMix;
    constexpr std::uint32_t kTop = 1U << 31U;
    bitmap_.words[product >> bitmap_.shift] |=
        kTop >> first_bit(product) | kTop >> second_bit(product);
  }
}

// Puts what shares a word side by side, and that in order. Words come in no order: a sort of all would take ten times as
// long, since it cannot be guessed what is the less.
void WordTable::bring_together(std::vector<Made>* all) {
  constexpr unsigned kBits = 12;
  const auto bucket_of = [](const Made& each) { return each.word * kMix >> (32U - kBits); };
  std::vector<std::uint32_t> ends(std::size_t{1} << kBits);
  for (const Made& each : *all) ++ends[bucket_of(each)];
  std::exclusive_scan(ends.begin(), ends.end(), ends.begin(), 0U);
  std::vector<Made> out(all->size());
  for (const Made& each : *all) out[ends[bucket_of(each)]++] = each;
  auto begin = out.begin();
  for (const std::uint32_t end : ends) {
    const auto next = out.begin() + static_cast<std::ptrdiff_t>(end);
    std::sort(begin, next, [](const Made& a, const Made& b) {
      return std::tie(a.word, a.known, a.entry.around, a.entry.text, a.entry.offset) <
             std::tie(b.word, b.known, b.entry.around, b.entry.text, b.entry.offset);
    });
    begin = next;
  }
  *all = std::move(out);
}

void WordTable::make_entries(std::vector<Made>* out) const {
  out->reserve(model::kSearchStride * texts_.size());
  for (std::uint32_t i = 0; i < texts_.size(); ++i) {
    const std::string& text = texts_[i].text.text;
    const std::size_t first = bitmap_.fold == 0
                                  ? model::rarest_window(text).at
                                  : model::rarest_window(model::to_lower(text), true).at;
    for (std::size_t at = first; at < first + model::kSearchStride; ++at) {
      Made made;
      made.entry.text = i;
      made.entry.offset = static_cast<std::uint32_t>(at);
      made.word = load4(text.data() + at) | bitmap_.fold;
      std::array<char, kAround + kWord> bytes{};
      const std::size_t before = std::min(at, kBefore), behind = std::min(text.size() - at, kBehind);
      std::memcpy(bytes.data() + kBefore - before, text.data() + at - before, before + behind);
      const unsigned in_front = 0xFU & (0xFU << (kBefore - before)), all = (1U << behind) - 1;
      made.known = in_front | (all & ~0xFU);
      made.entry.around = (load_around(bytes.data() + kBefore) | fold_around_) & known_[made.known];
      made.entry.whole = at <= kBefore && text.size() - at <= kBehind && bitmap_.fold == 0;
      out->push_back(made);
    }
  }
  bring_together(out);
}

void WordTable::make_groups(const std::vector<Made>& made) {
  entries_.reserve(made.size());
  groups_.reserve(made.size());
  for (std::size_t i = 0; i < made.size(); ++i) {
    const bool new_word = i == 0 || made[i].word != made[i - 1].word;
    if (new_word || made[i].known != made[i - 1].known) {
      if (new_word && i > 0) groups_.back().last = true;
      const auto begin = static_cast<std::uint32_t>(i);
      groups_.push_back({known_[made[i].known], 0, begin, begin,
                         static_cast<std::uint8_t>(made[i].known), false});
    }
    entries_.push_back(made[i].entry);
    groups_.back().bits |= hash_bit(made[i].entry.around);
    ++groups_.back().end;
  }
  groups_.back().last = true;
}

void WordTable::make_slots(const std::vector<Made>& made) {
  std::vector<std::uint32_t> words;
  for (const Group& group : groups_) {
    const std::uint32_t word = made[group.begin].word;
    if (words.empty() || words.back() != word) words.push_back(word);
  }
  find_slots(words);
  tests_.resize(slots_.size());
  const std::size_t bits = std::bit_ceil(std::max(kBitsOfEntry * made.size(), std::size_t{64}));
  around_bits_.resize(bits / 64);
  around_shift_ = 64U - static_cast<unsigned>(std::countr_zero(bits));
  std::uint32_t first = 0;
  for (const std::uint32_t word : words) {
    std::uint32_t end = first;
    unsigned common = 0xFF;
    do {
      common &= groups_[end].set;
    } while (!groups_[end++].last);
    Slot& slot = slots_[slot_of(word)];
    slot.word = word;
    slot.group = first & 0xFFFFFFU;
    slot.common = common & 0xFFU;
    for (std::uint32_t i = groups_[first].begin; i < groups_[end - 1].end; ++i)
      slot.bits |= hash_bit(entries_[i].around & known_[common]);
    make_tests(word, std::span(groups_).subspan(first, end - first));
    first = end;
  }
}

void WordTable::make_tests(std::uint32_t word, std::span<const Group> groups) {
  std::array<std::uint8_t, 2>& tests = tests_[slot_of(word)];
  tests = {0xFF, 0xFF};
  std::array<bool, 2> used{};
  for (const Group& each : groups) {
    tests.at(test_of(each.set)) &= each.set;
    used.at(test_of(each.set)) = true;
  }
  // Where there is but one kind, the same is asked twice.
  if (!used[0]) tests[0] = tests[1];
  if (!used[1]) tests[1] = tests[0];
  for (const Group& each : groups) {
    const std::uint64_t known = known_[tests.at(test_of(each.set))];
    for (std::uint32_t i = each.begin; i < each.end; ++i) {
      const std::size_t bit = bit_of(word, entries_[i].around & known);
      around_bits_[bit / 64] |= std::uint64_t{1} << (bit % 64);
    }
  }
}

// Those that share a first hash get the first multiplier that leads all of them to free slots, where
// most share one first of all.
void WordTable::find_slots(const std::vector<std::uint32_t>& words) {
  constexpr std::size_t kTogether = 4;
  constexpr std::uint32_t kTries = 1U << 16U;
  const auto shift_for = [](std::size_t size) {
    return 32U - static_cast<unsigned>(std::countr_zero(size));
  };
  seconds_.assign(std::bit_ceil(words.size() / kTogether + 2), 0);
  second_shift_ = shift_for(seconds_.size());
  // Sorted by their first hash; where those of each end.
  std::vector<std::uint32_t> sorted(words.size()), ends(seconds_.size());
  const auto first_hash = [&](std::uint32_t word) { return word * kMix >> second_shift_; };
  for (const std::uint32_t word : words) ++ends[first_hash(word)];
  std::exclusive_scan(ends.begin(), ends.end(), ends.begin(), 0U);
  for (const std::uint32_t word : words) sorted[ends[first_hash(word)]++] = word;
  const auto together = [&](std::uint32_t which) {
    const std::uint32_t begin = which == 0 ? 0 : ends[which - 1];
    return std::span(sorted).subspan(begin, ends[which] - begin);
  };
  std::vector<std::uint32_t> order(seconds_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return together(a).size() > together(b).size();
  });
  std::vector<std::uint32_t> mine;
  for (std::size_t size = std::bit_ceil(2 * words.size()); slots_.empty(); size *= 2) {
    slot_shift_ = shift_for(size);
    std::vector<bool> taken(size);
    const auto fits = [&](std::uint32_t which, std::uint32_t multiplier) {
      mine.clear();
      for (const std::uint32_t word : together(which)) {
        const std::uint32_t slot = word * multiplier >> slot_shift_;
        if (taken[slot] || std::find(mine.begin(), mine.end(), slot) != mine.end()) return false;
        mine.push_back(slot);
      }
      return true;
    };
    const bool all_fit = std::all_of(order.begin(), order.end(), [&](std::uint32_t which) {
      std::uint32_t multiplier = 0x9E3779B1U;
      for (std::uint32_t i = 0; i < kTries && !fits(which, multiplier); ++i) multiplier += 2 * kMix;
      if (!fits(which, multiplier)) return false;
      for (const std::uint32_t slot : mine) taken[slot] = true;
      seconds_[which] = multiplier;
      return true;
    });
    if (all_fit) slots_.resize(size);
  }
}

std::size_t WordTable::sift(const char* start, std::span<std::uint16_t> places) const {
  return sift_by_all(start, places.first(sift_by_word(start, places)));
}

std::size_t WordTable::sift_by_word(const char* start, std::span<std::uint16_t> places) const {
  std::size_t count = 0;
  for (const std::uint16_t place : places) {
    const char* const at = start + place;
    const std::uint32_t word = load4(at) | bitmap_.fold;
    const Slot& here = slots_[slot_of(word)];
    const std::uint64_t fits = here.bits >> hash_of(around(at) & known_[here.common]);
    const bool is_ours = here.word == word;
    places[count] = place;
    count += static_cast<unsigned>(is_ours) & fits;
  }
  return count;
}

std::size_t WordTable::sift_by_all(const char* start, std::span<std::uint16_t> places) const {
  std::size_t count = 0;
  for (const std::uint16_t place : places) {
    const char* const at = start + place;
    const std::uint32_t word = load4(at) | bitmap_.fold;
    const std::uint64_t bytes = around(at);
    const std::array<std::uint8_t, 2> tests = tests_[slot_of(word)];
    const std::size_t one = bit_of(word, bytes & known_[tests[0]]),
                      other = bit_of(word, bytes & known_[tests[1]]);
    const std::uint64_t found =
        around_bits_[one / 64] >> (one % 64) | around_bits_[other / 64] >> (other % 64);
    places[count] = place;
    count += found & 1U;
  }
  return count;
}

// Null: it is none of ours.
const WordTable::Slot* WordTable::find(std::uint32_t word) const {
  const Slot& here = slots_[slot_of(word)];
  return here.word == word && here.bits != 0 ? &here : nullptr;
}

void WordTable::verify(const Entry& entry, std::string_view buffer, std::size_t at,
                       std::vector<LiteralHit>* hits) const {
  if (entry.offset > at) return;
  const std::size_t from = at - entry.offset;
  const IndexedText& text = texts_[entry.text];
  if (begins_with(buffer.substr(from), text.text)) hits->push_back({from, text.literal});
}

// Where its entries may begin that have these bytes around.
inline const WordTable::Entry* WordTable::first_like(const Group& group, std::uint64_t around) const {
  constexpr std::uint32_t kFew = 4;
  const Entry* const begin = entries_.data() + group.begin;
  if (group.end - group.begin <= kFew) return begin;
  return std::partition_point(begin, entries_.data() + group.end,
                              [&](const Entry& each) { return each.around < around; });
}

void WordTable::resolve(std::string_view buffer, std::size_t at,
                        std::vector<LiteralHit>* hits) const {
  const std::uint64_t bytes = around(buffer.data() + at);
  const Slot& here = slots_[slot_of(load4(buffer.data() + at) | bitmap_.fold)];
  for (const Group* group = &groups_[here.group];; ++group) {
    const std::uint64_t known = bytes & group->known;
    if ((group->bits & hash_bit(known)) != 0) {
      const Entry* const end = entries_.data() + group->end;
      for (const Entry* each = first_like(*group, known); each != end && each->around <= known; ++each) {
        if (each->around != known) continue;
        if (each->whole) {
          hits->push_back({at - each->offset, texts_[each->text].literal});
        } else {
          verify(*each, buffer, at, hits);
        }
      }
    }
    if (group->last) return;
  }
}

void WordTable::look_up(std::string_view buffer, std::size_t at,
                        std::vector<LiteralHit>* hits) const {
  if (!may_be_word(buffer.data() + at)) return;
  const Slot* const here = find(load4(buffer.data() + at) | bitmap_.fold);
  if (here == nullptr) return;
  for (const Group* group = &groups_[here->group];; ++group) {
    for (std::uint32_t i = group->begin; i < group->end; ++i) verify(entries_[i], buffer, at, hits);
    if (group->last) return;
  }
}

}  // namespace attrib::vm
