#pragma once

// Which lines of a log are worth keeping: the reader asks while the log streams by, and a line that
// no rule could read is never made into an observation. The VM answers from the literals of its
// program (vm/line_filter.h).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/line_template.h"
#include "model/time.h"
#include "model/vocabulary.h"

namespace attrib::evidence {

// How repeats of a line may be counted (repeats.h): those that follow one another within `quiet`
// are of one burst, and `gapless`: only such whose possible times touch.
struct Counting {
  model::Nanos quiet = model::kForever;
  bool gapless = false;
};

class LineFilter {
 public:
  virtual ~LineFilter() = default;
  // One that answers the same, for another thread.
  [[nodiscard]] virtual std::unique_ptr<LineFilter> another() const = 0;

  // What a found text means for its line. Several may hold.
  using Reasons = std::uint16_t;
  enum Why : Reasons {
    kRead = 1U << 0U,        // A rule may read it.
    kLatest = 1U << 1U,      // Of some sort of lines only the last of its stream tells anything.
    kLeads = 1U << 2U,       // A rule may read it together with later lines of its stream.
    kLeadsBlind = 1U << 3U,  // ... the first of which may hold anything,
    kLeadsOn = 1U << 7U,     // ... or one behind the first of them may.
    kSecond = 1U << 4U,      // It may be the first of those later lines,
    kFollows = 1U << 5U,     // ... or any of them.
    kMark = 1U << 6U,        // One of line_marks().
    kAlike = 1U << 8U,       // Of lines that say the same to those who read it the first may be enough.
    kInBody = 1U << 9U,      // Somebody can only tell when the line's frame is off. Of hits only.
  };
  // The sorts of lines of that only the last counts, a bit each: lines of progress are one sort, the
  // lines of each extract that keeps the last are another.
  using Sorts = std::uint64_t;
  static constexpr Sorts kProgress = 1;
  struct Answer {
    Reasons why = 0;
    Sorts sorts = 0;  // Some if `why` has kLatest, else none.
  };
  struct Hit {
    std::size_t at = 0;       // Where the text begins in the block.
    std::uint32_t text = 0;   // Which it is, for the filter.
    Reasons why = 0;
  };
  // From now on lines speak for none but these kinds of source: only what reads those counts.
  virtual void narrow(model::SourceMask speaks) = 0;

  // Before a block is searched: makes what search() needs, if it is not there. Places of hits may come
  // to be those of other lines: what was answered of lines before is no longer reused.
  virtual void prepare() = 0;
  // All texts that lie in `block`, which may be many lines, by place: as they are, and as JSON spells
  // them with the fewest escapes in their shortest form. `hits` is overwritten. Behind prepare() any
  // number of threads may search at once, while nobody calls narrow().
  virtual void search(std::string_view block, std::vector<Hit>* hits) const = 0;

  // What rules would do with the line, of which these are all the hits: 0, kLatest (only rules of
  // that sort match it) or kRead. `line` stands as in the log, its frame still in front of it; kMark
  // when nothing can be told without taking that off.
  virtual Answer confirms(std::string_view line, std::span<const Hit> hits) = 0;

  // A body that stands in its line as it reads, from `body` bytes behind the first on; all hits of the line.
  struct Place {
    std::span<const Hit> hits;
    std::size_t body = 0;
  };
  // The same of a body, for lines whose body may not be in the log as it stands. `place`: null where it
  // stands otherwise, or nowhere.
  virtual Answer matches(std::string_view body, const Place* place) = 0;

  // What a body with these hits says to the rules that read `speaks`, as bytes: of the lines of a stream
  // that give the same bytes, the first is enough. False: each line counts.
  virtual bool says(std::string_view body, std::span<const Hit> hits, model::SourceMask speaks,
                    std::string* said) = 0;

  // To which sorts a line may belong that holds the text.
  [[nodiscard]] virtual Sorts sorts_of(std::uint32_t text) const = 0;
  // Those of `sorts` whose rules read lines that speak for `speaks`.
  [[nodiscard]] virtual Sorts heard(Sorts sorts, model::SourceMask speaks) const = 0;

  // What was found in a kept line goes to whoever reads it later under this number (Observation::
  // found).
  virtual std::uint32_t note(std::string_view body, const Place& place) = 0;

  // May repeats of a line with this body be counted, and how? `present`: the kinds of all sources.
  virtual std::optional<Counting> counting(std::string_view body, const Place* place,
                                           model::SourceMask present) = 0;

  // The patterns of several lines whose first line a body is, by numbers that hold
  // until the next call.
  virtual void heads(std::string_view body, std::vector<std::uint32_t>* found) = 0;
  // Within how many lines behind the first all others of such a pattern come.
  virtual std::uint32_t reach(std::uint32_t /*head*/) const { return model::kMaxWithinLines; }
  // Is `body` the next line of such a pattern? kSecond: yes, and the last one; kFollows: yes, and
  // there are more.
  virtual Reasons goes_on(std::uint32_t head, std::string_view body) = 0;
};

// Texts by which the reader knows lines that matter to itself: those that tell of lost lines, and
// those whose body is written otherwise than it reads (JSON, parts to be joined). A filter finds
// them too.
std::span<const std::string_view> line_marks();

}  // namespace attrib::evidence
