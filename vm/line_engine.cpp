#include "vm/line_engine.h"

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "model/any_case.h"
#include "model/required_literals.h"
#include "vm/alike.h"
#include "vm/progress_types.h"

namespace attrib::vm {
namespace {

using evidence::LineFilter;

bool is_short(const std::string& text) { return text.size() < model::kMinFilterLiteral; }

// What to look for to find a line that follows another: a word of it, or what takes longer to find
// out. Short texts would cost more over the whole log than the lines behind a rare first one.
model::RequiredLiterals literals_of_next(const model::LineTemplate& line) {
  const std::string longest = model::longest_literal(line);
  if (!is_short(longest) && model::requires_one_of(line, {longest})) return {{longest}};
  return model::long_literals(line);
}

struct Wanted {
  LineFilter::Reasons why = 0;  // Whoever reads the line.
  std::vector<LineEngine::User> users;
};

// Does a regular expression match in a line whenever it matches in the line's end? Not if it looks at
// what stands before its match.
bool looks_back(std::string_view regex) {
  for (std::size_t i = 0; i < regex.size(); ++i) {
    const char next = i + 1 < regex.size() ? regex[i + 1] : '\0';
    if (regex[i] == '^' && (i == 0 || regex[i - 1] != '[')) return true;
    if (regex[i] != '\\') continue;
    if (next == 'A' || next == 'b' || next == 'B') return true;
    ++i;
  }
  return false;
}

// By text, in the order in which they were first wanted.
class WantedTexts {
 public:
  Wanted& of(std::string_view text, bool any_case) {
    auto& numbers = numbers_.at(any_case ? 1 : 0);
    if (const auto known = numbers.find(text); known != numbers.end()) return all_[known->second].second;
    auto& made = all_.emplace_back(model::SearchText{std::string(text), any_case}, Wanted());
    numbers.emplace(made.first.text, all_.size() - 1);
    return made.second;
  }
  [[nodiscard]] auto& all() { return all_; }

 private:
  std::deque<std::pair<model::SearchText, Wanted>> all_;  // A deque: the numbers' keys point into it.
  std::array<std::unordered_map<std::string_view, std::size_t>, 2> numbers_;  // In any case, too.
};

// What the program's line extracts look for, by text, and those that may match a line of any text.
struct Looks {
  WantedTexts by_text;
  Wanted every;
  std::vector<model::SourceMask> sources = {static_cast<model::SourceMask>(~0U)};  // Of each sort.
};

// The next sort, if there is still a bit for it. Lines of others are all kept: the run finds the
// last one by itself.
LineFilter::Sorts new_sort(const program::Extract& extract, Looks* looks) {
  if (looks->sources.size() == std::numeric_limits<LineFilter::Sorts>::digits) return 0;
  looks->sources.push_back(extract.sources);
  return LineFilter::Sorts{1} << (looks->sources.size() - 1);
}

// `sort`: if only the last of its lines counts.
void add(const model::Alternative& alternative, const Candidate& which, std::uint32_t number,
         model::SourceMask sources,
         LineFilter::Sorts sort, const std::vector<std::uint32_t>* apart_by,
         const EarlyWhere* where, Looks* looks) {
  const bool several = alternative.lines.size() > 1;
  if (several) {
    sort = 0;
    apart_by = nullptr;
  }
  LineFilter::Reasons first = sort != 0 ? LineFilter::kLatest : LineFilter::kRead;
  if (several) first |= LineFilter::kLeads;
  for (std::size_t i = 1; i < alternative.lines.size(); ++i) {
    const auto [any_of, any_case, cost] = literals_of_next(alternative.lines[i]);
    if (any_of.empty()) first |= i == 1 ? LineFilter::kLeadsBlind : LineFilter::kLeadsOn;
    for (const std::string& text : any_of) {
      looks->by_text.of(text, any_case).why |=
          i == 1 ? LineFilter::kSecond | LineFilter::kFollows : LineFilter::kFollows;
    }
  }
  const model::LineTemplate& line = alternative.lines[0];
  const LineEngine::User user{which, number, first, sources, !line.at_start && !looks_back(line.regex),
                              sort, apart_by, several || sort != 0 || apart_by != nullptr ? nullptr : where};
  const auto want = [&](Wanted& each) {
    each.users.push_back(user);
    if (apart_by != nullptr) each.why |= LineFilter::kAlike;
  };
  for (const std::string& text : alternative.literals)
    want(looks->by_text.of(text, alternative.any_case));
  if (alternative.literals.empty()) want(looks->every);
}

// A text as JSON spells it with the fewest escapes, in their shortest form.
std::string in_json(std::string_view text) {
  constexpr std::string_view kEscaped = "\"\\\b\f\n\r\t", kLetters = "\"\\bfnrt";
  std::string out;
  for (const char c : text) {
    const std::size_t which = kEscaped.find(c);
    if (which != std::string_view::npos) {
      out += '\\';
      out += kLetters[which];
    } else {
      out += c;
    }
  }
  return out;
}

// In lines of NDJSON a text stands as JSON spells it: nearly all as they are.
void add_spellings(Looks* looks) {
  const auto may_be_escaped = [](char c) {
    return c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' ';
  };
  auto& all = looks->by_text.all();
  for (std::size_t i = 0, known = all.size(); i < known; ++i) {
    const auto& [text, wanted] = all[i];
    if (std::none_of(text.text.begin(), text.text.end(), may_be_escaped)) continue;
    const std::string spelled = in_json(text.text);
    if (spelled == text.text) continue;
    Wanted& into = looks->by_text.of(spelled, text.any_case);
    into.why |= wanted.why;
    into.users.insert(into.users.end(), wanted.users.begin(), wanted.users.end());
  }
}

// `apart_by`, `wheres`: by extract, told_apart_by() and EarlyWhere::of().
Looks looks_of(const program::Program& program, const Matchers& matchers,
               const std::vector<std::optional<std::vector<std::uint32_t>>>& apart_by,
               const std::vector<std::optional<EarlyWhere>>& wheres) {
  Looks looks;
  const std::vector<bool> progress = progress_only(program);
  for (std::uint32_t e = 0; e < program.extracts.size(); ++e) {
    const program::Extract& extract = program.extracts[e];
    if (extract.kind != program::ExtractKind::Lines) continue;
    const LineFilter::Sorts sort = extract.keep_last ? new_sort(extract, &looks)
                                   : shows_progress_only(program, extract, progress)
                                       ? LineFilter::kProgress
                                       : 0;
    for (std::uint32_t a = 0; a < extract.alternatives.size(); ++a) {
      if (!extract.alternatives[a].lines.empty())
        add(extract.alternatives[a], {e, a}, matchers.number({e, a}), extract.sources, sort, apart_by[e] ? &*apart_by[e] : nullptr,
            wheres[e] ? &*wheres[e] : nullptr, &looks);
    }
  }
  for (const std::string_view mark : evidence::line_marks())
    looks.by_text.of(mark, false).why |= LineFilter::kMark;
  add_spellings(&looks);
  return looks;
}

}  // namespace

void LineEngine::prepare() {
  if (scan_) return;
  for (const program::Extract& each : program_.extracts) {
    apart_by_.push_back(told_apart_by(program_, each));
    wheres_.push_back(EarlyWhere::of(program_, each));
  }
  Looks looks = looks_of(program_, matchers_, apart_by_, wheres_);
  std::vector<model::SearchText> texts;
  texts.reserve(looks.by_text.all().size());
  why_.reserve(texts.capacity() + 1);
  users_.reserve(texts.capacity() + 1);
  for (auto& [text, wanted] : looks.by_text.all()) {
    texts.push_back(std::move(text));
    why_.push_back(wanted.why);
    users_.push_back(std::move(wanted.users));
  }
  why_.push_back(0);
  users_.push_back(std::move(looks.every.users));
  sources_ = std::move(looks.sources);
  scan_.emplace(std::move(texts), code_);
}

LineEngine::Reasons LineEngine::why(std::uint32_t text, model::SourceMask speaks) const {
  Reasons out = why_[text];
  for (const User& user : users_[text]) {
    if ((user.sources & speaks) == 0) continue;
    out = static_cast<Reasons>(out | user.why | (user.tells_alone ? 0 : LineFilter::kInBody));
  }
  return out;
}

const std::vector<LiteralScan::Hit>& LineEngine::find(std::string_view text) {
  prepare();
  scan_->scan(text, &found_);
  return found_;
}

void LineEngine::candidates(std::string_view text, std::vector<Candidate>* out) {
  find(text);
  out->clear();
  for (const User& user : everywhere()) out->push_back(user.which);
  for (const LiteralScan::Hit& hit : found_) {
    for (const User& user : users_[hit.literal]) out->push_back(user.which);
  }
  std::sort(out->begin(), out->end());
  out->erase(std::unique(out->begin(), out->end()), out->end());
}

std::uint32_t LineEngine::note(std::span<const Noted> candidates, std::span<const Piece> pieces) {
  const auto first = static_cast<std::uint32_t>(pieces_.size());
  for (Noted each : candidates) {
    if (each.matches()) each.found += first;
    notes_.push_back(each);
  }
  pieces_.insert(pieces_.end(), pieces.begin(), pieces.end());
  note_ends_.push_back(static_cast<std::uint32_t>(notes_.size()));
  return static_cast<std::uint32_t>(note_ends_.size());
}

void LineEngine::forget_notes() noexcept {
  std::vector<Noted>().swap(notes_);
  std::vector<std::uint32_t>().swap(note_ends_);
  std::vector<Piece>().swap(pieces_);
  std::vector<LiteralScan::Hit>().swap(found_);
}

std::span<const LineEngine::Noted> LineEngine::noted(std::uint32_t number) const {
  const std::uint32_t begin = number == 1 ? 0 : note_ends_[number - 2];
  return std::span(notes_).subspan(begin, note_ends_[number - 1] - begin);
}

}  // namespace attrib::vm
