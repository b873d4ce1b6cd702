#pragma once

#include <vector>

#include "evidence/evidence.h"

namespace attrib::evidence {

// Sorted and disjoint, touching ones joined.
std::vector<Interval> united(std::vector<Interval> intervals);
// `from` (sorted, disjoint) without the inside of `hole`.
std::vector<Interval> without(const std::vector<Interval>& from, const Interval& hole);
// Does one of them (sorted, disjoint) hold all of [from, to]?
bool holds(const std::vector<Interval>& intervals, model::Nanos from, model::Nanos to);

}  // namespace attrib::evidence
