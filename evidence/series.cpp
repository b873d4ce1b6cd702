#include "evidence/series.h"

#include <algorithm>
#include <tuple>

namespace attrib::evidence {
namespace {

auto series_of(const Observation* o) { return std::tie(o->stream, o->name, o->labels); }

}  // namespace

void link_series(std::vector<Observation>* observations) {
  std::vector<Observation*> samples;
  for (Observation& o : *observations) {
    if (o.is_metric) samples.push_back(&o);
  }
  std::sort(samples.begin(), samples.end(), [](const Observation* a, const Observation* b) {
    if (series_of(a) != series_of(b)) return series_of(a) < series_of(b);
    return std::tie(a->position, a->value) < std::tie(b->position, b->value);
  });
  std::size_t before = 0, before_end = 0;  // The samples of the place before this one.
  for (std::size_t first = 0; first < samples.size();) {
    std::size_t last = first;
    while (last < samples.size() && series_of(samples[last]) == series_of(samples[first]) &&
           samples[last]->position == samples[first]->position) {
      ++last;
    }
    const bool continues =
        before_end > before && series_of(samples[before]) == series_of(samples[first]);
    // Sorted by value: all are equal when the ends are.
    if (continues && samples[before]->value == samples[before_end - 1]->value) {
      for (std::size_t i = first; i < last; ++i)
        samples[i]->previous_value = samples[before]->value;
    }
    before = first;
    before_end = first = last;
  }
}

}  // namespace attrib::evidence
