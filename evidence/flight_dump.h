#pragma once

// A flight-recorder dump as it is written, across the versions of its format: what each field is
// called and which of them are missing is known here and nowhere else.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "evidence/plain_data.h"

namespace attrib::evidence {

// A process group as one rank knows it.
struct FlightGroup {
  std::string name, description;
  std::vector<std::uint32_t> ranks;  // Sorted; empty: not told.
  bool point_to_point = false;       // The dump shows a send or a receive in it.
  // Sequence numbers of collectives: the last one entered, seen to start, and seen to end.
  std::optional<std::int64_t> enqueued, started, completed;
};

struct FlightOperation {
  std::size_t entry = 0;  // Its place in the dump, from 1.
  std::string group;      // Name; empty in the oldest dumps.
  std::string description;
  std::string operation;  // "all_reduce"
  bool point_to_point = false;
  std::optional<std::int64_t>
      sequence;  // Among the collectives (or the sends and receives) of the group.
  std::optional<std::uint32_t> peer;  // Number within the group, of a send or receive.
  std::string state;                  // "scheduled", "started", "completed"
  bool retired = false;
  std::optional<std::int64_t> created, started, completed;  // Nanoseconds since 1970
  std::optional<std::int64_t> timeout_ms;
  std::optional<std::int64_t> elements;  // Of all inputs together.
  std::string input_sizes, output_sizes, input_types, output_types, frame;
  std::optional<std::int64_t> record_id;
  [[nodiscard]] bool ended() const { return state == "completed"; }
};

struct FlightDump {
  std::string version;
  std::map<std::string, FlightGroup> groups;  // By name
  std::vector<FlightOperation> operations;    // In the order of the dump.
  std::vector<std::string> problems;  // "entry 17: field `state`: expected text, got a list"
};

// An error when it is no dump at all; a bad entry or group is a problem and left out.
Result<FlightDump> read_dump(const PlainData& data);

}  // namespace attrib::evidence
