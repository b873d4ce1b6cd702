#pragma once

// What the readers hand to the assembly (read.cpp): observations whose time, ids and place in a
// stream are not yet settled, because a header in another input may still say something about them.

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/result.h"
#include "evidence/evidence.h"
#include "evidence/heavy_list.h"
#include "evidence/read.h"
#include "evidence/time_parse.h"

namespace attrib::evidence {

struct Place {
  std::uint32_t input = 0;
  std::uint64_t line = 0;
  friend auto operator<=>(const Place&, const Place&) = default;
};

// How a rank label of a launcher counts.
enum class LabelKind : std::uint8_t {
  None,
  LocalRank,  // torchrun's `[default7]:`: the rank among those of its node.
  Task,       // srun's `7: `: a rank only if each task is one process.
};

// The nearest stamped lines of its stream around a line of a raw log, where these are not kept
// themselves.
struct Around {
  struct Side {
    std::optional<Stamp> stamp;
    std::optional<PlacedStamp> placed;
    model::Nanos lo = 0;  // Of its true time, if placed.
  };
  Side before, after;
};

// A draft's true time lies between its stamp and this.
struct Until {
  Stamp stamp;
  std::string raw;  // As given, for the id.
};

struct Draft {
  Observation observation;  // All but seen, stream, position, previous_value.
  SharedText prefix;  // What framing took off the message, so that copies are told by all their bytes.
  SharedText raw_ts;  // As given, for the id.
  std::optional<Stamp> stamp;
  std::shared_ptr<const Until> until;  // Or none.
  std::optional<PlacedStamp> placed;
  std::optional<std::uint64_t> seq;
  LabelKind label_kind = LabelKind::None;
  std::uint32_t label = 0;
  bool json = false;
  bool truncated = false;
  bool escaped = false;
  bool unparsed = false;
  bool rank_given = false;   // The rank is that of the file or the observation, no label of a line.
  bool own_stamp =
      false;  // The stamp is the one that the program printed in front of its own line.
  std::optional<bool> tells_loss;  // says_loss() of the message, where that was asked.
  bool lost_before = false;  // Lines are missing between this one and the one before it.
  Place place;
  std::shared_ptr<Around> around;  // Or none.
};

using Drafts = HeavyList<Draft>;

// A line's stream within its file.
struct StreamKey {
  std::string node;
  std::optional<std::uint32_t> rank;
  LabelKind label_kind = LabelKind::None;
  std::uint32_t label = 0;
  friend auto operator<=>(const StreamKey&, const StreamKey&) = default;
  friend bool operator==(const StreamKey&, const StreamKey&) = default;
};

StreamKey stream_key_of(const Draft& draft);

Stream stream_of(const Observation& observation);

// Everything an observation says but its ids: two drafts with one id must agree on it.
bool same_content(const Draft& a, const Draft& b);
std::strong_ordering compare_content(const Draft& a, const Draft& b);

struct SourceDeclaration {
  SourceStatus status;
  std::optional<int> year;
  std::optional<model::Nanos> zone_offset;
  std::optional<model::Nanos> boot;
  friend bool operator==(const SourceDeclaration& a, const SourceDeclaration& b);
  friend bool operator<(const SourceDeclaration& a, const SourceDeclaration& b);
};

// A raw log file, from which coverage follows once its lines have their times.
struct RawSource {
  SourceStatus status;
  std::uint32_t input = 0;
  bool snapshot = false;  // It shows one moment: it is complete over no time.
};

struct Header {
  std::string where;  // FILE:LINE
  Workload workload;
  std::vector<SourceDeclaration> sources;
};

// The draft at `place` stands for so many lines that are equal but for their times (repeats.h).
struct CountedRepeats {
  Place place;
  std::uint64_t times = 1;
  model::Nanos over = 0;  // From the first of them to the last, which the draft is.
};

// What is known before raw logs are read of whether their repeats may be counted.
struct RepeatRules {
  model::SourceMask kinds = 0;    // Of the logs whose repeats may be counted.
  model::SourceMask present = 0;  // Of all logs.
  model::Nanos clock_error = 0;   // The least that any source has.
};

class ScanPool;

// Collects over all inputs. Problems are kept up to kMaxProblems and always counted.
class Gathering {
 public:
  explicit Gathering(const ReadOptions& options) : options_(options) {}

  [[nodiscard]] const ReadOptions& options() const { return options_; }
  // One bad observation (or header field): an Error when strict, else named and counted.
  Status reject(const std::string& where, std::string_view text);
  [[nodiscard]] std::vector<std::string> problems() const;
  // Are no more drafts kept than the options allow? Else an Error.
  [[nodiscard]] Status room() const;
  // Adds what came of later inputs.
  void absorb(Gathering&& later);
  [[nodiscard]] std::uint64_t rejected() const { return rejected_; }

  // To forget what was gathered since.
  struct Mark {
    std::size_t drafts = 0, headers = 0, raw_sources = 0, problems = 0;
    std::uint64_t passed = 0, rejected = 0;
  };
  [[nodiscard]] Mark mark() const;
  void back_to(const Mark& mark);

  Drafts drafts;
  std::vector<Header> headers;
  std::vector<RawSource> raw_sources;
  std::vector<CountedRepeats> repeats;
  std::uint64_t passed = 0;  // Lines that were read and not kept.
  std::uint64_t copies = 0;  // Lines that are copies of one that was kept.
  RepeatRules repeat_rules;
  ScanPool* pool = nullptr;  // Searches ahead for the reader; may be null.

 private:
  ReadOptions options_;
  std::vector<std::string> problems_;
  std::uint64_t rejected_ = 0;
};

std::string place_name(const std::string& input, std::uint64_t line);  // FILE:LINE

}  // namespace attrib::evidence
