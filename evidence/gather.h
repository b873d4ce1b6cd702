#pragma once

#include <vector>

#include "evidence/draft.h"

namespace attrib::evidence {

// Reads all inputs into `gathering`, in their order: an input's place in the list is its number. On
// `options().threads` threads: each input is read by one, and those without an input search the logs
// ahead of it. What comes of it does not depend on how many there are.
Status gather(const std::vector<const Input*>& inputs, Gathering* gathering);

}  // namespace attrib::evidence
