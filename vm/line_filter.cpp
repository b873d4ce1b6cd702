#include "vm/line_filter.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/required_literals.h"
#include "vm/literal_scan.h"
#include "vm/matchers.h"
#include "vm/progress_types.h"

namespace attrib::vm {
namespace {

using evidence::LineFilter;

bool is_ascii(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

bool is_short(const std::string& text) { return text.size() < model::kMinFilterLiteral; }

// What to look for to find a line that follows another: a word of it, or what takes longer to find
// out. Short texts would cost more over the whole log than the lines behind a rare first one.
std::vector<std::string> literals_of_next(const model::LineTemplate& line) {
  const std::string longest = model::longest_literal(line);
  if (!is_short(longest) && model::requires_one_of(line, {longest})) return {longest};
  std::vector<std::string> any_of = model::required_literals(line, model::expected_by_pairs).any_of;
  if (std::any_of(any_of.begin(), any_of.end(), is_short)) any_of.clear();
  return any_of;
}

struct User {  // An alternative whose first line holds a text.
  Candidate which;
  LineFilter::Reasons why = 0;  // What it would do with the line.
  bool tells_alone = false;  // Its first line matches in a line just when it matches in a part of it.
};

struct Wanted {
  LineFilter::Reasons why = 0;
  std::vector<User> users;
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

// What the program's line extracts look for, by text, and those that may match a line of any text.
struct Looks {
  std::map<std::string, Wanted> by_text;
  Wanted every;
};

void add(const model::Alternative& alternative, const Candidate& which, bool latest, Looks* looks) {
  const bool several = alternative.lines.size() > 1;
  LineFilter::Reasons first = latest && !several ? LineFilter::kLatest : LineFilter::kRead;
  if (several) first |= LineFilter::kLeads;
  for (std::size_t i = 1; i < alternative.lines.size(); ++i) {
    const std::vector<std::string> any_of = literals_of_next(alternative.lines[i]);
    if (any_of.empty()) first |= i == 1 ? LineFilter::kLeadsBlind : LineFilter::kLeadsOn;
    for (const std::string& text : any_of) {
      looks->by_text[text].why |= i == 1 ? LineFilter::kSecond | LineFilter::kFollows
                                         : LineFilter::kFollows;
    }
  }
  const model::LineTemplate& line = alternative.lines[0];
  const User user{which, first, !line.at_start && !looks_back(line.regex)};
  const auto want = [&](Wanted& each) {
    each.why |= first;
    each.users.push_back(user);
  };
  for (const std::string& text : alternative.literals) want(looks->by_text[text]);
  if (alternative.literals.empty()) want(looks->every);
}

Looks looks_of(const program::Program& program) {
  Looks looks;
  const std::vector<bool> progress = progress_only(program);
  for (std::uint32_t e = 0; e < program.extracts.size(); ++e) {
    const program::Extract& extract = program.extracts[e];
    if (extract.kind != program::ExtractKind::Lines) continue;
    const bool latest = shows_progress_only(program, extract, progress);
    for (std::uint32_t a = 0; a < extract.alternatives.size(); ++a) {
      if (!extract.alternatives[a].lines.empty())
        add(extract.alternatives[a], {e, a}, latest, &looks);
    }
  }
  for (const std::string_view mark : evidence::line_marks())
    looks.by_text[std::string(mark)].why |= LineFilter::kMark;
  return looks;
}

class ProgramFilter : public LineFilter {
 public:
  explicit ProgramFilter(const program::Program& program) : program_(program), matchers_(program) {}

  [[nodiscard]] std::unique_ptr<LineFilter> another() const override {
    return std::make_unique<ProgramFilter>(program_);
  }

  void scan(std::string_view block, std::vector<Hit>* hits) override {
    find_texts(block);
    hits->clear();
    for (const LiteralScan::Hit& hit : found_)
      hits->push_back({hit.at, hit.literal, why_[hit.literal]});
    // Alternatives that may match any line look at each.
    for (std::size_t at = 0; !users_[every()].empty() && at < block.size();) {
      hits->push_back({at, every(), why_[every()]});
      at = std::min(block.find('\n', at), block.size() - 1) + 1;
    }
    std::sort(hits->begin(), hits->end(), [](const Hit& a, const Hit& b) {
      return a.at != b.at ? a.at < b.at : a.text < b.text;
    });
  }

  Reasons confirms(std::string_view line, std::span<const Hit> hits) override {
    if (!is_ascii(line)) return kMark;  // Framing may write it otherwise.
    Reasons out = 0;
    for (auto hit = hits.begin(); hit != hits.end(); ++hit) {
      if ((hit->why & kMark) != 0) return kMark;
      // A text that stands in the line twice is asked about once.
      const bool again =
          std::any_of(hits.begin(), hit, [&](const Hit& h) { return h.text == hit->text; });
      if (again) continue;
      for (const User& user : users_[hit->text]) {
        if ((user.why & ~out) == 0) continue;
        if (!user.tells_alone) return kMark;
        if (match(user, line)) out = static_cast<Reasons>(out | user.why);
      }
    }
    return out;
  }

  Reasons matches(std::string_view body) override {
    find_texts(body);
    std::vector<User> users = users_[every()];
    for (const LiteralScan::Hit& hit : found_)
      users.insert(users.end(), users_[hit.literal].begin(), users_[hit.literal].end());
    Reasons out = 0;
    for (const User& user : users) {
      if ((user.why & ~out) == 0) continue;
      if (match(user, body)) out = static_cast<Reasons>(out | user.why);
    }
    return out;
  }

  void heads(std::string_view body, std::vector<std::uint32_t>* found) override {
    found->clear();
    heads_.clear();
    find_texts(body);
    const auto add = [&](const std::vector<User>& users) {
      for (const User& user : users) {
        if ((user.why & kLeads) == 0 || !match(user, body)) continue;
        heads_.push_back(user.which);
        found->push_back(static_cast<std::uint32_t>(heads_.size() - 1));
      }
    };
    add(users_[every()]);
    for (const LiteralScan::Hit& hit : found_) add(users_[hit.literal]);
  }

  Reasons goes_on(std::uint32_t head, std::string_view body) override {
    const Candidate& which = heads_[head];
    captures_.assign(matchers_.captures(which), std::nullopt);
    if (!matchers_.get(which, 1).match(body, &captures_)) return 0;
    return matchers_.lines(which) > 2 ? kFollows : kSecond;
  }

 private:
  // Short logs are kept whole and ask nothing, so the tables wait for the first question.
  void find_texts(std::string_view text) {
    if (!scan_) prepare();
    scan_->scan(text, &found_);
  }

  void prepare() {
    Looks looks = looks_of(program_);
    std::vector<std::string> texts;
    for (auto& [text, wanted] : looks.by_text) {
      texts.push_back(text);
      why_.push_back(wanted.why);
      users_.push_back(std::move(wanted.users));
    }
    why_.push_back(looks.every.why);
    users_.push_back(std::move(looks.every.users));
    scan_.emplace(std::move(texts));
  }

  // Stands for the text that every line holds.
  [[nodiscard]] std::uint32_t every() const { return static_cast<std::uint32_t>(why_.size() - 1); }

  bool match(const User& user, std::string_view text) {
    captures_.assign(matchers_.captures(user.which), std::nullopt);
    return matchers_.get(user.which, 0).match(text, &captures_);
  }

  const program::Program& program_;
  Matchers matchers_;
  std::optional<LiteralScan> scan_;
  std::vector<Reasons> why_;              // By literal; every() is behind them.
  std::vector<std::vector<User>> users_;  // The same.
  std::vector<LiteralScan::Hit> found_;
  std::vector<Candidate> heads_;  // Of the last call of heads().
  std::vector<std::optional<model::Constant>> captures_;
};

}  // namespace

std::unique_ptr<LineFilter> make_line_filter(const program::VerifiedProgram& program) {
  return std::make_unique<ProgramFilter>(program.get());
}

}  // namespace attrib::vm
