#include "model/required_literals.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "model/line_program.h"

namespace attrib::model {
namespace {

using Texts = std::vector<std::string>;

constexpr std::size_t kMaxWords = 4;     // Each more costs three literals or more.
constexpr std::size_t kKeptOfWord = 64;  // The end of a longer first word will do.
constexpr std::size_t kMaxPhrase = 100;  // Bytes
constexpr std::size_t kMaxRun = 5;       // Blanks looked at one by one.
constexpr std::size_t kMaxSteps = 4096;  // Of a proof: those that are needed take some tens.

bool is_text(const LineTemplate& line, std::size_t part) {
  return part < line.parts.size() && line.parts[part].kind == PartKind::Literal;
}
bool is_blank(const LineTemplate& line, std::size_t part) {
  return part < line.parts.size() && line.parts[part].kind == PartKind::Blank;
}

// A hole that begins and ends with a digit, whatever it reads.
bool is_digits(const LineTemplate& line, std::size_t part) {
  if (part >= line.parts.size()) return false;
  const TemplatePart& hole = line.parts[part];
  if (hole.kind != PartKind::Hole && hole.kind != PartKind::Skip) return false;
  switch (hole.reader) {
    case Reader::U8:
    case Reader::U16:
    case Reader::U32:
    case Reader::U64:
    case Reader::Usec:
      return true;
    default:
      return false;
  }
}
constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kBlanks = " \t";

Texts with_each(const std::string& text, std::string_view ends) {
  Texts out;
  for (const char end : ends) out.push_back(text + end);
  return out;
}

// A set of texts of which one must stand in front of another: nothing, or any byte of `second` behind
// any byte of `first` and `more`, if there are such. Parts and constants hold the bytes.
struct Lead {
  std::string_view first, more, second;

  // Calls `each` with each text until it says false; says whether it never did.
  template <typename Each>
  bool all_of(const Each& each) const {
    if (second.empty()) return each(std::string_view());
    if (first.empty()) return of_second([&](const char& c) { return each(std::string_view(&c, 1)); });
    const auto behind = [&](char before) {
      return of_second([&](char c) {
        const std::array<char, 2> both = {before, c};
        return each(std::string_view(both.data(), both.size()));
      });
    };
    return std::all_of(first.begin(), first.end(), behind) && std::all_of(more.begin(), more.end(), behind);
  }

 private:
  template <typename Each>
  bool of_second(const Each& each) const {
    return std::all_of(second.begin(), second.end(), each);
  }
};

Texts texts_of(const Lead& lead) {
  Texts out;
  lead.all_of([&](std::string_view text) {
    out.emplace_back(text);
    return true;
  });
  return out;
}

// What may stand in front of a text: sets of which one must.
class Leads {
 public:
  Leads(const LineTemplate& line, std::size_t part) {
    add({});
    if (part == 0) return;
    if (is_digits(line, part - 1)) add({{}, {}, kDigits});
    if (!is_blank(line, part - 1)) return;
    add({{}, {}, kBlanks});
    if (part == 1) return;
    // The run is longer, or what stands before it is known.
    if (is_digits(line, part - 2)) {
      add({kBlanks, kDigits, kBlanks});
    } else if (is_text(line, part - 2) && !line.parts[part - 2].text.empty()) {
      add({kBlanks, std::string_view(line.parts[part - 2].text).substr(line.parts[part - 2].text.size() - 1), kBlanks});
    }
  }
  [[nodiscard]] const Lead* begin() const { return leads_.data(); }
  [[nodiscard]] const Lead* end() const { return leads_.data() + count_; }

 private:
  void add(const Lead& lead) { leads_.at(count_++) = lead; }

  std::array<Lead, 4> leads_;
  std::size_t count_ = 0;
};

// Calls `each` with the index of each literal part outside optional parts.
template <typename Each>
void for_required_texts(const LineTemplate& line, const Each& each) {
  bool optional = false;
  for (std::size_t i = 0; i < line.parts.size(); ++i) {
    const PartKind kind = line.parts[i].kind;
    if (kind == PartKind::OptionalBegin) optional = true;
    if (kind == PartKind::OptionalEnd) optional = false;
    if (!optional && kind == PartKind::Literal && !line.parts[i].text.empty()) each(i);
  }
}

RequiredLiterals made(const std::set<std::string>& texts) {
  RequiredLiterals out;
  out.any_of = {texts.begin(), texts.end()};
  return out;
}

// How a line may go on behind `text` other than with one blank and `word`, each way as far as makes
// it long enough: a longer run of blanks or a tab, and where that is short the start of `word`.
void add_other_ways(const std::string& text, const std::string& word, std::set<std::string>* out) {
  std::size_t need = text.size() < kMinFilterLiteral ? kMinFilterLiteral - text.size() : 1;
  if (need > kMaxRun) need = 1;  // Too many ways; short ones then.
  Texts runs = {text};
  for (std::size_t blanks = 1; blanks <= need; ++blanks) {
    Texts longer;
    for (const std::string& run : runs) {
      for (const char blank : {' ', '\t'}) longer.push_back(run + blank);
    }
    runs = std::move(longer);
    for (const std::string& run : runs) {
      if (run == text + ' ') continue;
      out->insert(blanks == need ? run : run + word.substr(0, need - blanks));
    }
  }
  if (need > 1) return;
  out->insert(text + "  ");
  out->insert(text + " \t");
}

// The phrases that begin with part `first` after one of `leads`.
class Phrases {
 public:
  Phrases(const LineTemplate& line, std::vector<RequiredLiterals>* out) : line_(line), out_(out) {}

  void from(std::size_t first, const Texts& leads) {
    std::set<std::string> others;
    std::string text = line_.parts[first].text;
    if (text.size() > kKeptOfWord) {
      if (!leads.front().empty()) return;  // Long enough without.
      text.erase(0, text.size() - kKeptOfWord);
    }
    std::size_t part = first;
    for (std::size_t words = 1; words <= kMaxWords; ++words) {
      while (is_text(line_, part + 1)) text += line_.parts[++part].text;
      if (text.size() > kMaxPhrase) return;
      add(leads, others, {text});
      if (is_digits(line_, part + 1)) add(leads, others, with_each(text, kDigits));
      if (!is_blank(line_, part + 1)) return;
      add(leads, others, with_each(text, kBlanks));
      if (!is_text(line_, part + 2)) return;
      const std::string& word = line_.parts[part + 2].text;
      for (const std::string& lead : leads) add_other_ways(lead + text, word, &others);
      if (others.size() > kMaxFilterLiterals) return;
      part += 2;
      text += ' ' + word;
    }
  }

 private:
  void add(const Texts& leads, const std::set<std::string>& others, const Texts& ends) {
    std::set<std::string> texts = others;
    for (const std::string& lead : leads) {
      for (const std::string& each : ends) texts.insert(lead + each);
    }
    out_->push_back(made(texts));
  }

  const LineTemplate& line_;
  std::vector<RequiredLiterals>* out_;
};

// Does each way to match a template come to hold one of the literals? Followed from one text on
// through the blanks and texts behind it, both kinds of blanks and each length of a run.
class Proof {
 public:
  Proof(const LineTemplate& line, const Texts& literals) : line_(line), literals_(literals) {
    for (const std::string& each : literals) {
      longest_ = std::max(longest_, each.size());
      last_bytes_.set(static_cast<unsigned char>(each.back()));
      if (each.back() == '\t')
        before_tabs_.push_back(std::string_view(each).substr(0, each.find_last_not_of('\t') + 1));
    }
  }

  // From the literal at `part` on, after `lead`.
  bool from(std::size_t part, std::string_view lead) {
    text_ = lead;
    text_ += line_.parts[part].text;
    // A literal ends where a text or a blank does: what began earlier is no part of one.
    if (text_.size() > longest_) text_.erase(0, text_.size() - longest_);
    most_ = text_.size() + longest_;
    return after_text(part);
  }

 private:
  // Does one end where text_ does?
  [[nodiscard]] bool found() const {
    if (text_.empty() || !last_bytes_.test(static_cast<unsigned char>(text_.back()))) return false;
    return std::any_of(literals_.begin(), literals_.end(), [&](const std::string& each) {
      return each.back() == text_.back() && std::string_view(text_).ends_with(each);
    });
  }
  [[nodiscard]] bool found_with_each(std::string_view ends) {
    return std::all_of(ends.begin(), ends.end(), [&](char end) {
      text_ += end;
      const bool here = found();
      text_.pop_back();
      return here;
    });
  }
  // One that begins in text_ and ends inside `word`, which follows.
  [[nodiscard]] bool found_in(std::string_view word) const {
    const std::string_view text = text_;
    for (std::size_t n = 1; n <= word.size(); ++n) {
      const char last = word[n - 1];
      if (!last_bytes_.test(static_cast<unsigned char>(last))) continue;
      for (const std::string_view each : literals_) {
        if (n < each.size() && each.back() == last && each.ends_with(word.substr(0, n)) &&
            text.ends_with(each.substr(0, each.size() - n))) {
          return true;
        }
      }
    }
    return false;
  }

  bool after_text(std::size_t part) {
    while (++steps_ < kMaxSteps && text_.size() <= most_) {
      if (found()) return true;
      if (is_blank(line_, part + 1)) return in_blanks(part + 1, 1);
      if (is_digits(line_, part + 1)) return found_with_each(kDigits);
      if (!is_text(line_, part + 1)) return false;
      text_ += line_.parts[++part].text;
    }
    return false;
  }

  // May one be found at the end of text_ and of tabs behind it? Else a run of tabs fails.
  [[nodiscard]] bool may_end_in_tabs() const {
    return text_.ends_with('\t') ||
           std::any_of(before_tabs_.begin(), before_tabs_.end(),
                       [&](std::string_view each) { return text_.ends_with(each); });
  }

  bool in_blanks(std::size_t part, std::size_t run) {
    if (run == 1 && !may_end_in_tabs()) return false;  // Nearly all that fail.
    const std::size_t size = text_.size();
    for (const char blank : {'\t', ' '}) {
      text_.resize(size);
      text_ += blank;
      if (++steps_ >= kMaxSteps) return false;
      if (found()) continue;
      if (!is_text(line_, part + 1) || run == kMaxRun || !in_blanks(part, run + 1)) return false;
      text_.resize(size + 1);
      if (found_in(line_.parts[part + 1].text)) continue;
      text_ += line_.parts[part + 1].text;
      if (!after_text(part + 1)) return false;
    }
    text_.resize(size);
    return true;
  }

  const LineTemplate& line_;
  const Texts& literals_;         // None is empty.
  std::bitset<256> last_bytes_;  // Of all.
  std::vector<std::string_view> before_tabs_;  // Of those that end in tabs: what stands before these.
  std::size_t longest_ = 0;
  std::size_t most_ = 0;
  std::size_t steps_ = 0;
  std::string text_;
};

}  // namespace

namespace {

// Of a `regex`; none of a template.
void add_of_regex(const LineTemplate& line, Rarity rarity, std::vector<RequiredLiterals>* out) {
  if (line.regex.empty()) return;
  for (const auto& [texts, any_case] : LineProgram::required_texts(line.regex, rarity)) {
    const bool fits = std::all_of(texts.begin(), texts.end(), [](const std::string& each) {
      return !each.empty() && each.size() <= kMaxFilterLiteral;
    });
    if (!fits || texts.size() > kMaxFilterLiterals) continue;
    out->push_back(made({texts.begin(), texts.end()}));
    out->back().any_case = any_case;
  }
}

}  // namespace

std::vector<RequiredLiterals> literal_choices(const LineTemplate& line, Rarity rarity) {
  std::vector<RequiredLiterals> out;
  add_of_regex(line, rarity, &out);
  for_required_texts(line, [&](std::size_t part) {
    Phrases phrases(line, &out);
    for (const Lead& each : Leads(line, part)) phrases.from(part, texts_of(each));
  });
  std::erase_if(out, [](const RequiredLiterals& each) {
    return each.any_of.empty() || each.any_of.size() > kMaxFilterLiterals;
  });
  std::map<std::pair<std::string_view, bool>, double> known;  // One text stands in many sets.
  for (RequiredLiterals& choice : out) {
    choice.cost = 0;
    for (const std::string& each : choice.any_of) {
      const auto [it, is_new] = known.try_emplace({each, choice.any_case});
      if (is_new) it->second = rarity(each, choice.any_case) + search_cost(each, choice.any_case);
      choice.cost += it->second;
    }
  }
  std::stable_sort(
      out.begin(), out.end(),
      [](const RequiredLiterals& a, const RequiredLiterals& b) { return a.cost < b.cost; });
  return out;
}

RequiredLiterals required_literals(const LineTemplate& line, Rarity rarity) {
  auto choices = literal_choices(line, rarity);
  return choices.empty() ? RequiredLiterals() : std::move(choices.front());
}

RequiredLiterals long_literals(const LineTemplate& line) {
  const auto is_long = [](const RequiredLiterals& each) {
    return !each.any_of.empty() && each.any_of.size() <= kMaxFilterLiterals &&
           std::all_of(each.any_of.begin(), each.any_of.end(),
                       [](const auto& text) { return text.size() >= kMinFilterLiteral; });
  };
  std::vector<RequiredLiterals> sets;
  add_of_regex(line, expected_by_pairs, &sets);
  Phrases phrases(line, &sets);
  // With a blank or a digit in front only where they are not long enough without.
  for (const bool in_front : {false, true}) {
    for_required_texts(line, [&](std::size_t part) {
      for (const Lead& each : Leads(line, part)) {
        if (each.second.empty() != in_front) phrases.from(part, texts_of(each));
      }
    });
    std::erase_if(sets, [&](const RequiredLiterals& each) { return !is_long(each); });
    if (!sets.empty()) break;
  }
  const auto least = std::min_element(sets.begin(), sets.end(), [](const auto& a, const auto& b) {
    return a.any_of.size() < b.any_of.size();
  });
  return least != sets.end() ? std::move(*least) : RequiredLiterals();
}

bool requires_one_of(const LineTemplate& line, const Texts& literals, bool any_case) {
  // Every line holds an empty text: no filter.
  if (std::any_of(literals.begin(), literals.end(), [](const auto& each) { return each.empty(); }))
    return false;
  if (!line.regex.empty()) return LineProgram::requires_one_of(line.regex, literals, any_case);
  if (any_case) return false;  // The texts of a template stand as they are.
  Proof proof(line, literals);
  bool proved = false;
  for_required_texts(line, [&](std::size_t part) {
    if (proved) return;
    const Leads before(line, part);
    proved = std::any_of(before.begin(), before.end(), [&](const Lead& each) {
      return each.all_of([&](std::string_view lead) { return proof.from(part, lead); });
    });
  });
  return proved;
}

}  // namespace attrib::model
