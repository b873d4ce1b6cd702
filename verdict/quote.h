#pragma once

#include <functional>
#include <map>
#include <string>

#include "evidence/evidence.h"

namespace attrib::verdict {

// The text of each observation by each of its ids, for quoting evidence (print.h).
using Quotable = std::map<std::string, std::string, std::less<>>;
Quotable quotable(const evidence::Evidence& evidence);

}  // namespace attrib::verdict
