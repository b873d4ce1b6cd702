#pragma once

// Readers: JSON document, NDJSON, raw text logs; plain, .gz or .zst; files, directories, globs or standard input.
// One bad observation is named in Evidence::problems and counted, and reading goes on (unless `strict`); a document
// that cannot be understood at all is an Error.

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "evidence/byte_source.h"
#include "evidence/evidence.h"
#include "evidence/line_filter.h"

namespace attrib::evidence {

constexpr std::size_t kMaxObservationBytes = 1U << 20U;   // One observation or raw line; a longer one is rejected.
constexpr std::size_t kMaxMatchBytes = 16U << 10U;        // Of a message; the rest is cut off and counted as truncated.
constexpr std::size_t kMaxDepth = 64;                     // JSON nesting.
constexpr std::size_t kMaxInputBytes = std::size_t{4} << 30U;  // Decompressed, of an input that is held as a whole.
constexpr model::Nanos kDefaultClockError = 250 * model::kMillisecond;

// --log kernel@node-07=dmesg.txt, app@rank3=rank3.log, slurm=job.out
struct LogSpec {
  model::SourceKind kind = model::SourceKind::App;
  std::string node;
  std::optional<std::uint32_t> rank;
  std::string path;  // File, directory (all files below it, by name) or glob.
};
Result<LogSpec> parse_log_spec(std::string_view text);

struct ReadOptions {
  bool strict = false;
  std::optional<int> year;                  // For stamps without one.
  std::optional<model::Nanos> zone_offset;  // For stamps without a zone: local minus UTC.
  std::optional<model::Nanos> boot;         // dmesg seconds count from here.
  std::size_t threads = 1;                  // So many inputs are read at once.
  std::size_t most_observations = std::numeric_limits<std::size_t>::max();  // Kept of JSON and NDJSON; past it an Error.
  LineFilter* filter = nullptr;             // Of raw logs and NDJSON keep only what it wants (keep_lines.h, json_keep.h). Not owned.
};
Result<model::Nanos> parse_zone(std::string_view text);  // "UTC", "+02:00", "-0700"
Result<model::Nanos> parse_time(std::string_view text);  // RFC 3339, or Unix seconds or nanoseconds

struct Input;

// A file of a rotated log.
struct InputPart {
  const Input* file = nullptr;  // Not owned.
  std::string missing_before;   // Not empty: the name of a file that should lie before it and is not there.
};

// One input, read through `open` if that is set. Raw text logs and NDJSON are never held in memory as a whole then;
// all else is.
struct Input {
  std::string name;  // Shown in messages; ids of raw lines are NAME:LINE.
  std::optional<LogSpec> log;  // Raw text when set, else JSON or NDJSON.
  std::string bytes;           // Decompressed.
  bool missing = false;        // There was no such file: the rank that should have written it left none.
  std::function<Result<std::unique_ptr<ByteSource>>()> open = {};
  std::vector<InputPart> parts = {};  // Not empty: a rotated log (rotated.h), the oldest file first; `name` is that of all.
};

// Decompresses by magic number (gzip members and zstd frames may be concatenated), to at most `limit` bytes.
Result<std::string> decompress(std::string bytes, const std::string& name,
                               std::size_t limit = kMaxInputBytes);
Result<Input> load_input(const std::string& path);                 // "-" is standard input
Result<std::vector<Input>> load_logs(const LogSpec& spec);

// Puts all inputs together: header, observations, streams, copies, clock bounds, coverage. The order of inputs does not
// matter.
Result<Evidence> read(const std::vector<Input>& inputs, const ReadOptions& options);

class Gathering;

// The same for JSON and NDJSON that come one after the other and need not be held all at once. Their order decides no
// more than which of two equal copies stands for both: give them in one that does not change.
class Assembly {
 public:
  explicit Assembly(const ReadOptions& options);
  ~Assembly();
  // After an Error there is nothing more to add or to finish.
  Status add(const Input& input);
  [[nodiscard]] bool full() const;  // More than `most_observations` are kept: the Error was that.
  Result<Evidence> finish() &&;

 private:
  std::unique_ptr<Gathering> gathering_;
  std::vector<std::string> names_;
};

}  // namespace attrib::evidence
