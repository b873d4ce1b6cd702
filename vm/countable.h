#pragma once

// Of which lines repeats may be counted instead of kept: those of which no rule can tell how many
// there were at which time, but by the count of the burst that they fold into (docs/semantics.md,
// "Counted repeats").

#include <cstdint>
#include <optional>
#include <vector>

#include "evidence/line_filter.h"
#include "program/program.h"

namespace attrib::vm {

class Countable {
 public:
  explicit Countable(const program::Program& program);

  // What is true of the lines that an extract matches. `present`: the source kinds of all evidence.
  std::optional<evidence::Counting> lines_of(std::uint32_t extract, model::SourceMask present);

 private:
  using Families = std::uint8_t;  // Bits.

  struct EventUse {
    bool countable = true;
    model::Nanos quiet = model::kForever;  // The least of the symptoms made of it.
    std::vector<std::uint32_t> symptoms;
  };
  // Of whose events a symptom is made.
  struct Makers {
    Families named = 0;       // Families that extracts name.
    bool by_source = false;   // ... or the family is that of the line's source.
  };

  void read_extract(std::uint32_t extract);
  void read_rule(const program::Rule& rule);
  void note_families();
  [[nodiscard]] std::optional<evidence::Counting> look_at(std::uint32_t extract,
                                                          model::SourceMask present) const;

  const program::Program& program_;
  std::vector<EventUse> uses_;                       // By event type.
  std::vector<std::vector<std::uint32_t>> made_by_;  // Event types, by extract.
  std::vector<bool> plain_extract_;
  std::vector<Makers> makers_;                       // By symptom type.
  // What was told, by extract, for the kinds of sources asked about last.
  std::vector<std::optional<std::optional<evidence::Counting>>> told_;
  model::SourceMask present_ = 0;
};

}  // namespace attrib::vm
