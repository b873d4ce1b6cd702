#pragma once

// A Cover as `rulec cover` prints it.

#include <array>
#include <map>
#include <string>
#include <vector>

#include "ruletest/cover.h"

namespace attrib::ruletest {

class CoverReport {
 public:
  // Of items whose file or rule holds `filter` (all, if empty).
  CoverReport(const Cover& cover, const std::string& filter);

  [[nodiscard]] const CoverCount& all() const { return counts_.all; }

  // FILE:LINE: KIND PACK.RULE: what is missing; then counts of the packs that lack something, and
  // of all by kind.
  [[nodiscard]] std::string text() const;
  // The same as data, schema attrib.cover/1 (docs/testing.md).
  [[nodiscard]] std::string json() const;

 private:
  struct Counts {
    std::array<CoverCount, kCoverKinds> kinds;
    CoverCount all;
    void add(const CoverItem& item);
  };

  [[nodiscard]] bool is_shown(std::size_t kind) const;

  const Cover& cover_;
  std::vector<const CoverItem*> missing_;
  Counts counts_;
  std::map<std::string, Counts> packs_;
};

}  // namespace attrib::ruletest
