#include "vm/line_filter.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "vm/alike.h"
#include "vm/countable.h"

namespace attrib::vm {
namespace {

using evidence::LineFilter;

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

  void prepare() override {
    line_at_ = kNowhere;
    if (!whys_.empty()) return;
    engine_.prepare();
    for (std::uint32_t text = 0; text <= engine_.every(); ++text)
      whys_.push_back(engine_.why(text, speaks_));
  }

  void search(std::string_view block, std::vector<Hit>* hits) const override {
    hits->clear();
    std::vector<LiteralScan::Hit> found;
    engine_.search(block, &found);
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
    begin_line(hits);
    one_line_ = line.find('\r') == kNowhere;  // It has no line feed, being a line of the log.
    for (const Hit& hit : hits) {
      if ((hit.why & kMark) != 0) return {kMark};
      for (const User& user : engine_.users(hit.text)) {
        if (adds_nothing(user, out) || !may_see(user)) continue;
        if (!user.tells_alone) return {kMark};
        if (in_line(user, line) && may_count(user, line)) add(user, &out);
      }
    }
    return out;
  }

  Answer matches(std::string_view body, const Place* place) override {
    Answer out;
    ask_all(body, place, [&](const User& user) {
      if (adds_nothing(user, out) || !may_see(user)) return;
      if (is_in(user, body, place) && counts_in(user, body, place)) add(user, &out);
    });
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

  std::optional<evidence::Counting> counting(std::string_view body, const Place* place,
                                             model::SourceMask present) override {
    if (!countable_) countable_.emplace(engine_.program());
    evidence::Counting out;
    bool countable = true;
    ask_all(body, place, [&](const User& user) {
      if (!countable || !may_see(user) || !is_in(user, body, place)) return;
      const auto here = (user.why & kLeads) != 0
                            ? std::nullopt
                            : countable_->lines_of(user.which.extract, present);
      countable = here.has_value();
      if (!here) return;
      out.quiet = std::min(out.quiet, here->quiet);
      out.gapless = out.gapless || here->gapless;
    });
    return countable ? std::optional(out) : std::nullopt;
  }

  void heads(std::string_view body, std::vector<std::uint32_t>* found) override {
    found->clear();
    heads_.clear();
    const auto& texts = engine_.find(body);
    const auto look = [&](const std::vector<User>& users) {
      for (const User& user : users) {
        if ((user.why & kLeads) == 0 || !may_see(user) || !finds(user, body)) continue;
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

  std::uint32_t note(std::string_view /*body*/, const Place& place) override {
    if (own_) return 0;
    go_to(place);
    users_.clear();
    for (const Hit& hit : place.hits) {
      for (const User& user : engine_.users(hit.text)) {
        Trial& trial = trial_of(user);
        if (!may_see(user) || trial.noted == line_) continue;
        trial.noted = line_;
        if (trial.line != line_ || trial.matches) users_.push_back(&user);
      }
    }
    std::sort(users_.begin(), users_.end(),
              [](const User* a, const User* b) { return a->number < b->number; });
    noted_.clear();
    noted_pieces_.clear();
    for (const User* user : users_) note_trial(*user, place.body);
    return engine_.note(noted_, noted_pieces_);
  }

 private:
  using User = LineEngine::User;
  using Piece = LineEngine::Piece;
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
  // What is known of an alternative in the line that was last asked about.
  struct Trial {
    std::uint64_t line = 0, noted = 0;  // Of which line, and of which one it was noted: counted from 1.
    bool matches = false;
    std::size_t begin = 0;   // Of the match in the line.
    std::uint32_t pieces = 0, end_of_pieces = 0;  // In pieces_, places of the line.
  };

  void begin_line(std::span<const Hit> hits) {
    line_at_ = hits.empty() ? kNowhere : hits.front().at;
    ++line_;
    one_line_ = false;
    pieces_.clear();
    trials_.resize(engine_.matchers().count());
  }
  void go_to(const Place& place) {
    if (place.hits.empty() || place.hits.front().at != line_at_) begin_line(place.hits);
  }

  Trial& trial_of(const User& user) { return trials_[user.number]; }

  // `text` begins `skipped` bytes behind the line.
  bool attempt(const User& user, std::string_view text, std::size_t skipped) {
    Trial& trial = trial_of(user);
    trial.line = line_;
    trial.pieces = static_cast<std::uint32_t>(pieces_.size());
    trial.matches = engine_.matchers().get(user.which, 0).find(text, &pieces_, &trial.begin, one_line_);
    trial.end_of_pieces = static_cast<std::uint32_t>(pieces_.size());
    if (skipped == 0 || !trial.matches) return trial.matches;
    trial.begin = trial.begin == kNowhere ? skipped : trial.begin + skipped;
    for (std::uint32_t i = trial.pieces; i < trial.end_of_pieces; ++i) {
      if (pieces_[i].begin != Piece::kNone) pieces_[i].begin += static_cast<std::uint32_t>(skipped);
    }
    return true;
  }

  bool in_line(const User& user, std::string_view line) {
    const Trial& trial = trial_of(user);
    return trial.line == line_ ? trial.matches : attempt(user, line, 0);
  }

  // Does `where` let the match that finds() found?
  bool counts(const User& user, std::string_view text) {
    if (user.where == nullptr) return true;
    captures_.assign(engine_.matchers().captures(user.which), std::nullopt);
    engine_.matchers().get(user.which, 0).read(text, found_, &captures_);
    return user.where->lets(captures_);
  }

  // Of a line where the alternative matches, which it did not yet say of the body: does `where` let any
  // match that the body may have? That is one that begins somewhere in the line.
  bool may_count(const User& user, std::string_view line) {
    if (user.where == nullptr) return true;
    constexpr int kMostLooks = 4;
    const model::LineMatcher& matcher = engine_.matchers().get(user.which, 0);
    std::size_t begin = trial_of(user).begin;
    copy_pieces(trial_of(user), 0, &found_);
    for (int look = 0; look < kMostLooks; ++look) {
      if (begin == kNowhere || counts(user, line)) return true;
      line.remove_prefix(begin + 1);
      found_.clear();
      if (!matcher.find(line, &found_, &begin)) return false;
    }
    return true;
  }

  // Whoever may match the body.
  template <typename Ask>
  void ask_all(std::string_view body, const Place* place, const Ask& ask) {
    const auto ask_users = [&](const std::vector<User>& users) {
      for (const User& user : users) ask(user);
    };
    if (place != nullptr) {
      go_to(*place);
      for (const Hit& hit : place->hits) ask_users(engine_.users(hit.text));
      return;
    }
    ask_users(engine_.everywhere());
    for (const LiteralScan::Hit& hit : engine_.find(body)) ask_users(engine_.users(hit.literal));
  }
  bool counts_in(const User& user, std::string_view body, const Place* place) {
    if (user.where == nullptr) return true;
    if (place != nullptr) copy_pieces(trial_of(user), place->body, &found_);
    return counts(user, body);
  }
  bool is_in(const User& user, std::string_view body, const Place* place) {
    return place != nullptr ? in_body(user, body, *place) : finds(user, body);
  }

  // No match in the line is none in its body, for what tells alone; a match that begins in the body
  // is the body's.
  bool in_body(const User& user, std::string_view body, const Place& place) {
    const Trial& trial = trial_of(user);
    if (trial.line == line_ && (!trial.matches || is_in_body(trial, place.body))) return trial.matches;
    return attempt(user, body, place.body);
  }

  static bool is_in_body(const Trial& trial, std::size_t body) {
    return trial.begin != kNowhere && trial.begin >= body;
  }

  void note_trial(const User& user, std::size_t body) {
    const Trial& trial = trial_of(user);
    LineEngine::Noted& out = noted_.emplace_back(LineEngine::Noted{user.which});
    if (trial.line != line_ || !is_in_body(trial, body)) return;
    out.found = static_cast<std::uint32_t>(noted_pieces_.size());
    add_pieces(trial, body, &noted_pieces_);
  }

  // The pieces of a match as those of the line's end from `body` on.
  void add_pieces(const Trial& trial, std::size_t body, std::vector<Piece>* out) const {
    for (std::uint32_t i = trial.pieces; i < trial.end_of_pieces; ++i) {
      Piece piece = pieces_[i];
      if (piece.begin != Piece::kNone) piece.begin -= static_cast<std::uint32_t>(body);
      out->push_back(piece);
    }
  }
  void copy_pieces(const Trial& trial, std::size_t body, std::vector<Piece>* out) const {
    out->clear();
    add_pieces(trial, body, out);
  }

  [[nodiscard]] bool may_see(const User& user) const { return (user.sources & speaks_) != 0; }

  static bool adds_nothing(const User& user, const Answer& out) {
    return (user.why & ~out.why) == 0 && (user.sorts & ~out.sorts) == 0;
  }
  static void add(const User& user, Answer* out) {
    out->why = static_cast<Reasons>(out->why | user.why);
    out->sorts |= user.sorts;
  }

  bool finds(const User& user, std::string_view text) {
    found_.clear();
    return engine_.matchers().get(user.which, 0).find(text, &found_);
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
  // Of the line whose first text lies here, what was tried, by the alternative's number.
  std::size_t line_at_ = kNowhere;
  std::uint64_t line_ = 0;
  bool one_line_ = false;  // It is known to have no line end's byte.
  std::vector<Trial> trials_;
  std::vector<Piece> pieces_;
  std::vector<const User*> users_;        // May match the last line noted.
  std::vector<LineEngine::Noted> noted_;  // Of the last line noted.
  std::vector<Piece> noted_pieces_;
  std::vector<Piece> found_;  // Of the match that was asked for last.
  std::optional<Countable> countable_;
  std::vector<std::optional<model::Constant>> captures_;
};

}  // namespace

std::unique_ptr<LineFilter> make_line_filter(LineEngine* engine) {
  return std::make_unique<ProgramFilter>(engine);
}

}  // namespace attrib::vm
