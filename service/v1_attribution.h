#pragma once

#include <string>

#include "verdict/verdict.h"

namespace attrib::service {

// The verdict as a V1 client reads it: a NodeAttribution for each node that is accused and for no
// other, and one JobAttribution with the outcome. At most kMaxV1Nodes nodes, kMaxV1Causes of each.
std::string v1_attribution(const verdict::Verdict& verdict);

constexpr std::size_t kMaxV1Nodes = 1024;
constexpr std::size_t kMaxV1Causes = 16;

}  // namespace attrib::service
