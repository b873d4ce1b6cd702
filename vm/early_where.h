#pragma once

// What an extract's `where` says of a match before anything is made of the line: as far as it asks
// nothing but what texts the captures hold.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/truth.h"
#include "model/type.h"
#include "model/value.h"
#include "program/program.h"

namespace attrib::vm {

class EarlyWhere {
 public:
  using Captured = std::vector<std::optional<model::Constant>>;

  // None: whether a match counts is not known by its captures' texts alone. `program` must outlive it.
  static std::optional<EarlyWhere> of(const program::Program& program, const program::Extract& extract);

  // False: the run surely makes nothing of a match with these captures.
  [[nodiscard]] bool lets(const Captured& captures) const;

 private:
  struct Step {
    enum class Kind : std::uint8_t { Test, Not, And, Or } kind = Kind::Test;
    model::TextTest test = model::TextTest::Contains;
    std::uint16_t out = 0, a = 0, b = 0;  // Truths by register; of a test, `a` is a capture.
    const std::string* text = nullptr;
  };

  std::vector<Step> steps_;
  std::uint16_t decides_ = 0;  // The register on which all depends.
  std::size_t registers_ = 0;
};

}  // namespace attrib::vm
