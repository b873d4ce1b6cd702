#include "vm/line_filter.h"

#include <algorithm>
#include <map>
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

struct User {  // An alternative whose first line holds a text.
  Candidate which;
  LineFilter::Reasons why = 0;  // What it would do with the line.
  bool tells_alone = false;  // Its first line matches in a line just when it matches in a part of it.
};

struct Wanted {
  LineFilter::Reasons why = 0;
  std::vector<User> users;
};

class ProgramFilter : public LineFilter {
 public:
  ProgramFilter(const program::Program& program, std::map<std::string, Wanted>&& wanted)
      : matchers_(program), scan_(texts(wanted)) {
    for (auto& [text, each] : wanted) {
      why_.push_back(each.why);
      users_.push_back(std::move(each.users));
    }
  }

  void scan(std::string_view block, std::vector<Hit>* hits) override {
    scan_.scan(block, &found_);
    hits->clear();
    for (const LiteralScan::Hit& hit : found_) hits->push_back({hit.at, hit.literal, why_[hit.literal]});
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
    scan_.scan(body, &found_);
    std::vector<User> users;
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
    scan_.scan(body, &found_);
    for (const LiteralScan::Hit& hit : found_) {
      for (const User& user : users_[hit.literal]) {
        if ((user.why & kLeads) == 0 || !match(user, body)) continue;
        heads_.push_back(user.which);
        found->push_back(static_cast<std::uint32_t>(heads_.size() - 1));
      }
    }
  }

  Reasons goes_on(std::uint32_t head, std::string_view body) override {
    const Candidate& which = heads_[head];
    captures_.assign(matchers_.captures(which), std::nullopt);
    if (!matchers_.get(which, 1).match(body, &captures_)) return 0;
    return matchers_.lines(which) > 2 ? kFollows : kSecond;
  }

 private:
  static std::vector<std::string> texts(const std::map<std::string, Wanted>& wanted) {
    std::vector<std::string> out;
    for (const auto& [text, each] : wanted) out.push_back(text);
    return out;
  }

  bool match(const User& user, std::string_view text) {
    captures_.assign(matchers_.captures(user.which), std::nullopt);
    return matchers_.get(user.which, 0).match(text, &captures_);
  }

  Matchers matchers_;
  LiteralScan scan_;
  std::vector<Reasons> why_;              // By literal.
  std::vector<std::vector<User>> users_;  // By literal.
  std::vector<LiteralScan::Hit> found_;
  std::vector<Candidate> heads_;  // Of the last call of heads().
  std::vector<std::optional<model::Constant>> captures_;
};

// Notes why a line that matches `alternative` is worth reading; false: it may hold anything.
bool add(const model::Alternative& alternative, const Candidate& which, bool latest,
         std::map<std::string, Wanted>* wanted) {
  const bool several = alternative.lines.size() > 1;
  LineFilter::Reasons first = latest && !several ? LineFilter::kLatest : LineFilter::kRead;
  if (several) first |= LineFilter::kLeads;
  for (std::size_t i = 1; i < alternative.lines.size(); ++i) {
    const std::vector<std::string> any_of = model::required_literals(alternative.lines[i]).any_of;
    if (any_of.empty()) first |= i == 1 ? LineFilter::kLeadsBlind : LineFilter::kLeadsOn;
    for (const std::string& text : any_of) {
      (*wanted)[text].why |= i == 1 ? LineFilter::kSecond | LineFilter::kFollows
                                    : LineFilter::kFollows;
    }
  }
  const model::LineTemplate& line = alternative.lines[0];
  const User user{which, first, !line.at_start && line.regex.empty()};
  for (const std::string& text : alternative.literals) {
    Wanted& each = (*wanted)[text];
    each.why |= first;
    each.users.push_back(user);
  }
  return !alternative.literals.empty();
}

}  // namespace

std::unique_ptr<LineFilter> make_line_filter(const program::VerifiedProgram& verified) {
  const program::Program& program = verified.get();
  const std::vector<bool> progress = progress_only(program);
  std::map<std::string, Wanted> wanted;
  for (std::uint32_t e = 0; e < program.extracts.size(); ++e) {
    const program::Extract& extract = program.extracts[e];
    if (extract.kind != program::ExtractKind::Lines) continue;
    const bool latest = shows_progress_only(program, extract, progress);
    for (std::uint32_t a = 0; a < extract.alternatives.size(); ++a) {
      if (extract.alternatives[a].lines.empty()) continue;
      if (!add(extract.alternatives[a], {e, a}, latest, &wanted)) return nullptr;
    }
  }
  for (const std::string_view mark : evidence::line_marks())
    wanted[std::string(mark)].why |= LineFilter::kMark;
  return std::make_unique<ProgramFilter>(program, std::move(wanted));
}

}  // namespace attrib::vm
