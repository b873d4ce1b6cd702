#include "vm/line_filter.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "vm/alike.h"
#include "vm/countable.h"

namespace attrib::vm {
namespace {

using evidence::LineFilter;

bool is_ascii(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

bool stands_before(const LineFilter::Hit& a, const LineFilter::Hit& b) {
  return a.at != b.at ? a.at < b.at : a.text < b.text;
}

// As the search gives them: nearly by place, those of short texts behind all others.
void sort_hits(std::vector<LineFilter::Hit>* hits) {
  constexpr std::size_t kNear = 256;  // Bytes: none lies further from its place, but for short ones.
  const std::size_t most_moves = 16 * hits->size();
  auto short_ones = hits->begin();
  std::size_t moves = 0;
  for (auto each = hits->begin(); each != hits->end(); ++each) {
    if (each == short_ones || !stands_before(*each, each[-1])) continue;
    if (short_ones == hits->begin() && each->at + kNear < each[-1].at) {
      short_ones = each;
      continue;
    }
    const LineFilter::Hit hit = *each;
    auto to = each;
    do {
      *to = to[-1];
      --to;
      ++moves;
    } while (to != short_ones && stands_before(hit, to[-1]));
    *to = hit;
    if (moves > most_moves) return std::sort(hits->begin(), hits->end(), stands_before);
  }
  std::inplace_merge(hits->begin(), short_ones, hits->end(), stands_before);
}

class ProgramFilter : public LineFilter {
 public:
  explicit ProgramFilter(LineEngine* engine) : engine_(*engine) {}
  // With an engine of its own, whose notes nobody reads.
  explicit ProgramFilter(std::unique_ptr<LineEngine> own) : own_(std::move(own)), engine_(*own_) {}

  [[nodiscard]] std::unique_ptr<LineFilter> another() const override {
    return std::make_unique<ProgramFilter>(std::make_unique<LineEngine>(engine_.program()));
  }

  void narrow(model::SourceMask speaks) override {
    if (speaks == speaks_) return;
    speaks_ = speaks;
    whys_.clear();
  }

  void scan(std::string_view block, std::vector<Hit>* hits) override {
    hits->clear();
    tried_at_ = kNowhere;  // Places may be those of another block now.
    const auto& found = engine_.find(block);
    if (whys_.empty()) {
      for (std::uint32_t text = 0; text <= engine_.every(); ++text)
        whys_.push_back(engine_.why(text, speaks_));
    }
    for (const LiteralScan::Hit& hit : found) {
      if (whys_[hit.literal] != 0) hits->push_back({hit.at, hit.literal, whys_[hit.literal]});
    }
    // Alternatives that may match any line look at each.
    for (std::size_t at = 0; whys_.back() != 0 && at < block.size();) {
      hits->push_back({at, engine_.every(), whys_.back()});
      at = std::min(block.find('\n', at), block.size() - 1) + 1;
    }
    sort_hits(hits);
  }

  Answer confirms(std::string_view line, std::span<const Hit> hits) override {
    if (!is_ascii(line)) return {kMark};  // Framing may write it otherwise.
    Answer out;
    tried_.clear();
    tried_at_ = hits.empty() ? kNowhere : hits.front().at;
    for (auto hit = hits.begin(); hit != hits.end(); ++hit) {
      if ((hit->why & kMark) != 0) return {kMark};
      // A text that stands in the line twice is asked about once.
      const bool again =
          std::any_of(hits.begin(), hit, [&](const Hit& h) { return h.text == hit->text; });
      if (again) continue;
      for (const User& user : engine_.users(hit->text)) {
        if (adds_nothing(user, out) || !may_see(user)) continue;
        if (!user.tells_alone) return {kMark};
        if (attempt(user, line)) add(user, &out);
      }
    }
    return out;
  }

  Answer matches(std::string_view body) override {
    const auto& found = engine_.find(body);
    Answer out;
    const auto ask = [&](const std::vector<User>& users) {
      for (const User& user : users) {
        if (!adds_nothing(user, out) && may_see(user) && match(user, body)) add(user, &out);
      }
    };
    ask(engine_.everywhere());
    for (const LiteralScan::Hit& hit : found) ask(engine_.users(hit.literal));
    return out;
  }

  bool says(std::string_view body, std::span<const Hit> hits, model::SourceMask speaks,
            std::string* said) override {
    said->clear();
    for (auto hit = hits.begin(); hit != hits.end(); ++hit) {
      const bool again =
          std::any_of(hits.begin(), hit, [&](const Hit& h) { return h.text == hit->text; });
      if (again) continue;
      for (const User& user : engine_.users(hit->text)) {
        if ((user.sources & speaks) == 0 || !match(user, body)) continue;
        if (user.apart_by == nullptr) return false;
        append_said(user.which.extract, *user.apart_by, captures_, said);
      }
    }
    return !said->empty();
  }

  [[nodiscard]] Sorts sorts_of(std::uint32_t text) const override {
    Sorts out = 0;
    for (const User& user : engine_.users(text)) {
      if (may_see(user)) out |= user.sorts;
    }
    return out;
  }

  [[nodiscard]] Sorts heard(Sorts sorts, model::SourceMask speaks) const override {
    for (std::size_t i = 0; i < engine_.sources().size(); ++i) {
      if ((engine_.sources()[i] & speaks) == 0) sorts &= ~(Sorts{1} << i);
    }
    return sorts;
  }

  std::optional<evidence::Counting> counting(std::string_view body,
                                             model::SourceMask present) override {
    if (!countable_) countable_.emplace(engine_.program());
    const auto& found = engine_.find(body);
    evidence::Counting out;
    bool countable = true;
    const auto ask = [&](const std::vector<User>& users) {
      for (const User& user : users) {
        if (!countable || !match(user, body)) continue;
        const auto here = (user.why & kLeads) != 0
                              ? std::nullopt
                              : countable_->lines_of(user.which.extract, present);
        countable = here.has_value();
        if (!here) continue;
        out.quiet = std::min(out.quiet, here->quiet);
        out.gapless = out.gapless || here->gapless;
      }
    };
    ask(engine_.everywhere());
    for (const LiteralScan::Hit& hit : found) ask(engine_.users(hit.literal));
    return countable ? std::optional(out) : std::nullopt;
  }

  void heads(std::string_view body, std::vector<std::uint32_t>* found) override {
    found->clear();
    heads_.clear();
    const auto& texts = engine_.find(body);
    const auto look = [&](const std::vector<User>& users) {
      for (const User& user : users) {
        if ((user.why & kLeads) == 0 || !may_see(user) || !match(user, body)) continue;
        heads_.push_back(user.which);
        found->push_back(static_cast<std::uint32_t>(heads_.size() - 1));
      }
    };
    look(engine_.everywhere());
    for (const LiteralScan::Hit& hit : texts) look(engine_.users(hit.literal));
  }

  [[nodiscard]] std::uint32_t reach(std::uint32_t head) const override {
    const Candidate& which = heads_[head];
    return engine_.program().extracts[which.extract].alternatives[which.alternative].within_lines;
  }

  Reasons goes_on(std::uint32_t head, std::string_view body) override {
    const Candidate& which = heads_[head];
    captures_.assign(engine_.matchers().captures(which), std::nullopt);
    if (!engine_.matchers().get(which, 1).match(body, &captures_)) return 0;
    return engine_.matchers().lines(which) > 2 ? kFollows : kSecond;
  }

  std::uint32_t note(std::span<const Hit> hits, std::size_t body) override {
    if (own_) return 0;
    seen_.clear();
    for (const Hit& hit : hits) {
      for (const User& user : engine_.users(hit.text)) {
        if (may_see(user)) seen_.push_back(user.which);
      }
    }
    std::sort(seen_.begin(), seen_.end());
    seen_.erase(std::unique(seen_.begin(), seen_.end()), seen_.end());
    noted_.clear();
    for (const Candidate& each : seen_) noted_.push_back({each, false, {}});
    if (!hits.empty() && hits.front().at == tried_at_) settle_tried(body);
    return engine_.note(noted_);
  }

 private:
  using User = LineEngine::User;
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
  struct Tried {
    Candidate which;
    bool matches = false;
    std::size_t begin = 0;  // Of the match in the line.
    LineEngine::Captures captures;
  };

  // What confirms() found of the line: no match in it is none in its body; a match that begins in
  // the body is the body's.
  void settle_tried(std::size_t body) {
    for (Tried& tried : tried_) {
      const auto at = std::find_if(noted_.begin(), noted_.end(), [&](const auto& each) {
        return each.which == tried.which;
      });
      if (at == noted_.end()) continue;
      if (!tried.matches) {
        noted_.erase(at);
      } else if (tried.begin != kNowhere && tried.begin >= body) {
        at->matches = true;
        at->captures = std::move(tried.captures);
      }
    }
    tried_.clear();
    tried_at_ = kNowhere;
  }

  [[nodiscard]] bool may_see(const User& user) const { return (user.sources & speaks_) != 0; }

  bool attempt(const User& user, std::string_view line) {
    Tried& tried = tried_.emplace_back();
    tried.which = user.which;
    captures_.assign(engine_.matchers().captures(user.which), std::nullopt);
    tried.matches = engine_.matchers().get(user.which, 0).match(line, &captures_, &tried.begin);
    if (tried.matches) tried.captures = std::move(captures_);
    return tried.matches;
  }

  static bool adds_nothing(const User& user, const Answer& out) {
    return (user.why & ~out.why) == 0 && (user.sorts & ~out.sorts) == 0;
  }
  static void add(const User& user, Answer* out) {
    out->why = static_cast<Reasons>(out->why | user.why);
    out->sorts |= user.sorts;
  }

  bool match(const User& user, std::string_view text) {
    captures_.assign(engine_.matchers().captures(user.which), std::nullopt);
    return engine_.matchers().get(user.which, 0).match(text, &captures_);
  }

  std::unique_ptr<LineEngine> own_;
  LineEngine& engine_;
  model::SourceMask speaks_ = static_cast<model::SourceMask>(~model::SourceMask{0});
  std::vector<Reasons> whys_;  // Of the engine's texts, in lines that speak so.
  std::vector<Candidate> heads_;       // Of the last call of heads().
  std::vector<Candidate> seen_;           // May match the last line noted.
  std::vector<LineEngine::Noted> noted_;  // Of the last line noted.
  std::vector<Tried> tried_;              // By the last call of confirms(), of the line whose first
  std::size_t tried_at_ = kNowhere;       // text lies here.
  std::optional<Countable> countable_;
  std::vector<std::optional<model::Constant>> captures_;
};

}  // namespace

std::unique_ptr<LineFilter> make_line_filter(LineEngine* engine) {
  return std::make_unique<ProgramFilter>(engine);
}

}  // namespace attrib::vm
