#pragma once

// The list of signals: what can be seen of a failing job, and which rules read it. Each area of the
// library keeps its part in stdlib-rules/signals/AREA.csv, with the header
//
//   signal,grade,rules,left_out,source
//
// `rules` holds full names (PACK.RULE) with blanks between; `left_out` says why there are none.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "docgen/library.h"

namespace attrib::docgen {

// How well a signal is known: its text was read in the source of the program or the vendor's page
// (read), follows from such (derived), was seen in real output (sample), or is only remembered.
enum class SignalGrade : std::uint8_t { Read, Sample, Derived, Recall, Memory };
constexpr std::size_t kSignalGrades = 5;
std::string_view to_text(SignalGrade grade);

struct Signal {
  std::string name;
  SignalGrade grade = SignalGrade::Read;
  std::vector<std::string> rules;
  std::string left_out;
  std::string source;
};

struct SignalArea {
  std::string name;  // Of the file: "nvidia".
  std::vector<Signal> signals;
};

struct Signals {
  std::vector<SignalArea> areas;      // By name.
  std::vector<std::string> problems;  // "FILE:LINE: what is wrong", by file and line.
};

// `files`: paths and texts. Rows that are wrong are left out and told.
Signals read_signals(const Library& library,
                     const std::vector<std::pair<std::string, std::string>>& files);

struct SignalCount {
  std::size_t with_rules = 0;
  std::size_t total = 0;
  [[nodiscard]] bool at_least(std::size_t percent) const {
    return with_rules * 100 >= total * percent;
  }
};
SignalCount count_signals(const Signals& signals, SignalGrade grade);

// docs/signals.md
std::string signals_page(const Library& library, const Signals& signals);

}  // namespace attrib::docgen
