#pragma once

// Of a set of moments: does one of them certainly come before q? The same answer as asking
// model::before(p, q) of each p, in logarithmic time: ten thousand candidates against ten thousand
// failure symptoms must not be a hundred million questions.

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "model/time.h"

namespace attrib::vm {

class BeforeIndex {
 public:
  BeforeIndex() = default;
  explicit BeforeIndex(std::span<const model::Moment> moments);

  [[nodiscard]] bool any_before(const model::Moment& q) const;
  [[nodiscard]] bool empty() const { return streams_.empty() && clocks_.empty(); }

 private:
  static constexpr model::Nanos kNever = std::numeric_limits<model::Nanos>::max();

  // The least end of a clock's moments, and the least among those of other streams than that one's.
  struct Least {
    model::Nanos value = kNever;
    std::uint32_t stream = 0;
    model::Nanos other = kNever;
    void add(model::Nanos end, std::uint32_t of_stream);
    [[nodiscard]] model::Nanos outside(std::uint32_t of_stream) const {
      return of_stream != 0 && stream == of_stream ? other : value;
    }
  };
  struct Clock {
    Least with_error;     // Ends as other clocks see them.
    Least without_error;  // As moments of this clock see them.
  };
  struct InStream {
    std::uint64_t position;
    model::ClockId clock;
    model::Nanos with_error, without_error;  // The least up to this position.
  };

  [[nodiscard]] bool before_in_stream(const model::Moment& q) const;

  std::map<model::ClockId, Clock> clocks_;
  std::vector<std::pair<model::Nanos, model::ClockId>> by_end_;  // Clocks by their least end.
  std::map<std::uint32_t, std::vector<InStream>> streams_;       // By position.
};

// The moment as time runs backwards: before(p, q) == before(mirrored(q), mirrored(p)).
model::Moment mirrored(const model::Moment& m);

}  // namespace attrib::vm
