#include "vm/match.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "vm/alike.h"

namespace attrib::vm {
namespace {

using evidence::Observation;
using program::Extract;
using program::ExtractKind;

bool is_metric(const Observation& o) { return o.is_metric && !o.name.empty(); }
bool is_text(const Observation& o) { return !o.is_record && !is_metric(o); }
bool sees(const Extract& extract, const Observation& o) {
  return (extract.sources & o.speaks) != 0;
}

class Matching {
 public:
  Matching(const program::Program& program, const evidence::Evidence& evidence,
           const MatchLimits& limits, LineEngine* engine, bool with_notes,
           const std::function<void(Match&)>& use)
      : program_(program),
        evidence_(evidence),
        limits_(limits),
        engine_(*engine),
        with_notes_(with_notes),
        use_(use) {
    for (std::uint32_t e = 0; e < program.extracts.size(); ++e) {
      if (program.extracts[e].kind == ExtractKind::Metric) metric_.push_back(e);
      if (program.extracts[e].kind == ExtractKind::Record) record_.push_back(e);
    }
    number_looks();
  }

  MatchResult run() {
    for (std::uint32_t i = 0; i < evidence_.observations.size() && result_.exceeded.empty(); ++i) {
      const Observation& o = evidence_.observations[i];
      fetch_ahead(i);
      if (i > 0 && o.stream != evidence_.observations[i - 1].stream) end_stream();
      if (is_text(o)) {
        match_text(i);
      } else {
        // Something may be both a metric and a record; extracts stay in order.
        std::vector<std::uint32_t> extracts;
        if (is_metric(o)) extracts = metric_;
        if (o.is_record) {
          extracts.insert(extracts.end(), record_.begin(), record_.end());
        }
        std::sort(extracts.begin(), extracts.end());
        match_whole(i, extracts);
      }
      if (last_.empty()) hand_out();
    }
    end_stream();
    for (std::size_t i = 0; i < looks_.size(); ++i) {
      if (looks_[i].candidates > 0) result_.looks.push_back(looks_[i]);
    }
    return std::move(result_);
  }

 private:
  // What the loop will look at some rounds later, and would wait for.
  void fetch_ahead(std::size_t index) const {
    constexpr std::size_t kObservation = 6, kNotes = 3;
    const auto& all = evidence_.observations;
    if (index + kObservation >= all.size()) return;
    const Observation& far = all[index + kObservation];
    __builtin_prefetch(&far.speaks);
    __builtin_prefetch(&far.message);
    __builtin_prefetch(&far.is_record);
    __builtin_prefetch(&far.found);
    const Observation& near = all[index + kNotes];
    if (with_notes_ && near.found > 0) __builtin_prefetch(engine_.noted(near.found).data());
  }

  void match_whole(std::uint32_t index, const std::vector<std::uint32_t>& extracts) {
    for (const std::uint32_t e : extracts) {
      const Extract& extract = program_.extracts[e];
      if (!sees(extract, evidence_.observations[index])) continue;
      Match match;
      match.observation = index;
      match.extract = e;
      match.captures.resize(extract.captures.size());
      if (!add(std::move(match))) return;
    }
  }

  void match_text(std::uint32_t index) {
    const Observation& o = evidence_.observations[index];
    if (!spend(o.message.size() + 1)) return;
    std::span<const LineEngine::Noted> candidates;
    if (with_notes_ && o.found > 0) {
      candidates = engine_.noted(o.found);
    } else {
      engine_.candidates(o.message, &found_);
      made_.clear();
      for (const Candidate& each : found_) made_.push_back({each});
      candidates = made_;
    }
    std::optional<std::uint32_t> matched;  // The extract that needs no further alternative.
    for (const LineEngine::Noted& candidate : candidates) {
      const Candidate which = candidate.which;
      if (matched == which.extract || !sees(program_.extracts[which.extract], o)) continue;
      LineLook& look = look_of(which);
      ++look.candidates;
      auto found = try_alternative(index, candidate);
      if (!result_.exceeded.empty()) return;
      if (!found) continue;
      ++look.matches;
      matched = which.extract;
      const Extract& extract = program_.extracts[which.extract];
      if (!extract.keep_first_by.empty() && !firsts_.add(which.extract, extract.keep_first_by, found->captures)) {
        result_.overtaken.push_back(index);
        continue;
      }
      if (extract.keep_last) {
        replace_last(std::move(*found));
      } else if (!add(std::move(*found))) {
        return;
      }
    }
  }

  void replace_last(Match match) {
    const auto [at, fresh] = last_.try_emplace(match.extract);
    if (!fresh) result_.overtaken.push_back(at->second.observation);
    at->second = std::move(match);
  }

  // Now the last matches of the stream are known; they go to their places among the others.
  void end_stream() {
    for (auto& [extract, match] : last_) {
      if (!add(std::move(match))) break;
    }
    if (!last_.empty()) {
      std::sort(waiting_.begin(), waiting_.end(), [](const Match& a, const Match& b) {
        return std::tie(a.observation, a.extract) < std::tie(b.observation, b.extract);
      });
    }
    last_.clear();
    firsts_.clear();
    hand_out();
  }

  // Nothing that comes later in the stream stands before one of them.
  void hand_out() {
    for (Match& each : waiting_) use_(each);
    waiting_.clear();
  }

  LineLook& look_of(const Candidate& which) {
    return looks_[first_look_[which.extract] + which.alternative];
  }
  void number_looks() {
    for (std::uint32_t e = 0; e < program_.extracts.size(); ++e) {
      first_look_.push_back(looks_.size());
      for (std::uint32_t a = 0; a < program_.extracts[e].alternatives.size(); ++a)
        looks_.push_back({e, a, 0, 0});
    }
  }

  std::optional<Match> try_alternative(std::uint32_t index, const LineEngine::Noted& candidate) {
    const Candidate which = candidate.which;
    const Extract& extract = program_.extracts[which.extract];
    const model::Alternative& alternative = extract.alternatives[which.alternative];
    Match match;
    match.observation = index;
    match.extract = which.extract;
    match.alternative = which.alternative;
    match.captures.resize(extract.captures.size());
    if (candidate.matches()) {
      const std::string& text = evidence_.observations[index].message;
      if (!spend(text.size() + 1)) return std::nullopt;
      engine_.matchers().get(which, 0).read(text, engine_.pieces(candidate), &match.captures);
    } else if (!try_line(index, which, 0, &match)) {
      return std::nullopt;
    }
    if (alternative.lines.size() > 1 && !match_next(which, alternative, &match))
      return std::nullopt;
    return match;
  }

  bool try_line(std::uint32_t index, const Candidate& which, std::uint32_t line, Match* match) {
    const std::string& text = evidence_.observations[index].message;
    return spend(text.size() + 1) && engine_.matchers().get(which, line).match(text, &match->captures);
  }

  // Each next line is the first that matches among the later ones.
  bool match_next(const Candidate& which, const model::Alternative& alternative, Match* match) {
    const std::vector<std::uint32_t> later =
        later_lines(match->observation, alternative.within_lines);
    std::vector<bool> used(later.size());
    std::uint64_t position = evidence_.observations[match->observation].position;
    for (std::uint32_t line = 1; line < alternative.lines.size(); ++line) {
      std::size_t i = 0;
      for (; i < later.size(); ++i) {
        if (used[i] || evidence_.observations[later[i]].position < position) continue;
        if (try_line(later[i], which, line, match)) break;
        if (!result_.exceeded.empty()) return false;
      }
      if (i == later.size()) return false;
      used[i] = true;
      position = evidence_.observations[later[i]].position;
      match->more.push_back(later[i]);
    }
    return true;
  }

  // The lines after `first` in its stream. Lines before it that share its position may have come
  // later too: they stand last.
  std::vector<std::uint32_t> later_lines(std::uint32_t first, std::uint32_t within) const {
    const std::vector<Observation>& all = evidence_.observations;
    const std::size_t count = std::min(within, model::kMaxWithinLines);
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = first + 1; i < all.size() && out.size() < count; ++i) {
      if (all[i].stream != all[first].stream) break;
      // Of a raw log the reader keeps no more than this together.
      if (all[i].offset - all[first].offset > evidence::kNextReach) break;
      if (is_text(all[i])) out.push_back(i);
    }
    const std::size_t most = out.size() + count;
    for (std::uint32_t i = first; i-- > 0 && out.size() < most;) {
      if (all[i].stream != all[first].stream || all[i].position != all[first].position) break;
      if (is_text(all[i])) out.push_back(i);
    }
    return out;
  }

  bool spend(std::uint64_t bytes) {
    if (bytes > limits_.matched_bytes - result_.bytes) {
      result_.exceeded = "bytes matched";
      return false;
    }
    result_.bytes += bytes;
    return true;
  }

  bool add(Match match) {
    if (made_matches_ >= limits_.matches) {
      result_.exceeded = "matches";
      return false;
    }
    ++made_matches_;
    waiting_.push_back(std::move(match));
    return true;
  }

  const program::Program& program_;
  const evidence::Evidence& evidence_;
  const MatchLimits& limits_;
  LineEngine& engine_;
  bool with_notes_;  // The observations' numbers are the engine's.
  std::vector<std::uint32_t> metric_, record_;  // Extracts of that kind.
  std::vector<LineEngine::Noted> made_;  // Of the line, where nothing was noted.
  std::vector<Candidate> found_;
  FirstMatches firsts_;                         // Of the stream.
  std::vector<LineLook> looks_;          // Of all alternatives.
  std::vector<std::size_t> first_look_;  // Of each extract, in looks_.
  std::map<std::uint32_t, Match> last_;  // In this stream so far, by extract that keeps the last.
  const std::function<void(Match&)>& use_;
  std::vector<Match> waiting_;  // Of this stream, to be handed out.
  std::uint64_t made_matches_ = 0;
  MatchResult result_;
};

}  // namespace

MatchResult match(const program::Program& program, const evidence::Evidence& evidence,
                  const MatchLimits& limits, LineEngine* engine) {
  std::vector<Match> matches;
  MatchResult out = match_each(program, evidence, limits, engine,
                               [&](Match& each) { matches.push_back(std::move(each)); });
  out.matches = std::move(matches);
  return out;
}

MatchResult match_each(const program::Program& program, const evidence::Evidence& evidence,
                       const MatchLimits& limits, LineEngine* engine,
                       const std::function<void(Match&)>& use) {
  if (engine != nullptr) return Matching(program, evidence, limits, engine, true, use).run();
  LineEngine own(program);
  return Matching(program, evidence, limits, &own, false, use).run();
}

}  // namespace attrib::vm
