#include "evidence/intervals.h"

#include <algorithm>

namespace attrib::evidence {

std::vector<Interval> united(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(), [](const Interval& a, const Interval& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  std::vector<Interval> out;
  for (const Interval& each : intervals) {
    if (!out.empty() && each.begin <= out.back().end) {
      out.back().end = std::max(out.back().end, each.end);
    } else {
      out.push_back(each);
    }
  }
  return out;
}

// What is left ends before the hole or begins after it: a point in the hole is not covered, nor are
// its ends.
std::vector<Interval> without(const std::vector<Interval>& from, const Interval& hole) {
  std::vector<Interval> out;
  for (const Interval& each : from) {
    if (each.end < hole.begin || each.begin > hole.end) {
      out.push_back(each);
      continue;
    }
    if (each.begin < hole.begin) out.push_back({each.begin, hole.begin - 1});
    if (each.end > hole.end) out.push_back({hole.end + 1, each.end});
  }
  return out;
}

bool holds(const std::vector<Interval>& intervals, model::Nanos from, model::Nanos to) {
  return std::any_of(intervals.begin(), intervals.end(),
                     [&](const Interval& each) { return each.begin <= from && to <= each.end; });
}

}  // namespace attrib::evidence
