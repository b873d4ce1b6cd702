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

struct Wanted {
  std::uint8_t why = 0;
  std::vector<Candidate> users;
};

class ProgramFilter : public LineFilter {
 public:
  ProgramFilter(const program::Program& program, std::map<std::string, Wanted> wanted,
                std::vector<bool> latest)
      : matchers_(program), latest_(std::move(latest)), scan_(texts(wanted)) {
    for (auto& [text, each] : wanted) {
      why_.push_back(each.why);
      users_.push_back(std::move(each.users));
    }
  }

  void scan(std::string_view block, std::vector<Hit>* hits) override {
    scan_.scan(block, &found_);
    hits->clear();
    for (const LiteralScan::Hit& hit : found_) hits->push_back({hit.at, why_[hit.literal]});
    std::sort(hits->begin(), hits->end(), [](const Hit& a, const Hit& b) {
      return a.at != b.at ? a.at < b.at : a.why < b.why;
    });
  }

  std::uint8_t matches(std::string_view body) override {
    scan_.scan(body, &found_);
    std::vector<Candidate> candidates;
    std::uint8_t why = 0;
    for (const LiteralScan::Hit& hit : found_) {
      // What only goes with other lines is kept without further question.
      why = static_cast<std::uint8_t>(why | (why_[hit.literal] & kOfSeveral));
      candidates.insert(candidates.end(), users_[hit.literal].begin(), users_[hit.literal].end());
    }
    if (why != 0) return static_cast<std::uint8_t>(why | kRead);
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    for (const Candidate& each : candidates) {
      const bool latest = latest_[each.extract];
      if (latest && (why & kLatest) != 0) continue;
      captures_.assign(matchers_.captures(each), std::nullopt);
      if (!matchers_.get(each, 0).match(body, &captures_)) continue;
      if (!latest) return kRead;
      why |= kLatest;
    }
    return why;
  }

 private:
  static constexpr std::uint8_t kOfSeveral = kLeads | kLeadsBlind | kSecond | kFollows;

  static std::vector<std::string> texts(const std::map<std::string, Wanted>& wanted) {
    std::vector<std::string> out;
    for (const auto& [text, each] : wanted) out.push_back(text);
    return out;
  }

  Matchers matchers_;
  std::vector<bool> latest_;  // By extract.
  LiteralScan scan_;
  std::vector<std::uint8_t> why_;              // By literal.
  std::vector<std::vector<Candidate>> users_;  // By literal.
  std::vector<LiteralScan::Hit> found_;
  std::vector<std::optional<model::Constant>> captures_;
};

// Notes why a line that matches `alternative` is worth reading; false: it may hold anything.
bool add(const model::Alternative& alternative, const Candidate& user, bool latest,
         std::map<std::string, Wanted>* wanted) {
  const bool several = alternative.lines.size() > 1;
  std::uint8_t first = latest && !several ? LineFilter::kLatest : LineFilter::kRead;
  if (several) first |= LineFilter::kLeads;
  for (std::size_t i = 1; i < alternative.lines.size(); ++i) {
    const std::vector<std::string> any_of = model::required_literals(alternative.lines[i]).any_of;
    if (any_of.empty()) first |= LineFilter::kLeadsBlind;
    for (const std::string& text : any_of) {
      (*wanted)[text].why |= i == 1 ? LineFilter::kSecond | LineFilter::kFollows
                                    : LineFilter::kFollows;
    }
  }
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
  std::vector<bool> latest;
  for (std::uint32_t e = 0; e < program.extracts.size(); ++e) {
    const program::Extract& extract = program.extracts[e];
    latest.push_back(extract.kind == program::ExtractKind::Lines &&
                     shows_progress_only(program, extract, progress));
    if (extract.kind != program::ExtractKind::Lines) continue;
    for (std::uint32_t a = 0; a < extract.alternatives.size(); ++a) {
      if (extract.alternatives[a].lines.empty()) continue;
      if (!add(extract.alternatives[a], {e, a}, latest[e], &wanted)) return nullptr;
    }
  }
  for (const std::string_view mark : evidence::line_marks())
    wanted[std::string(mark)].why |= LineFilter::kMark;
  return std::make_unique<ProgramFilter>(program, std::move(wanted), std::move(latest));
}

}  // namespace attrib::vm
