#pragma once

#include <string>

#include "verdict/verdict.h"

namespace attrib::verdict {

// Sets `summary`, the one line that people read first, from everything else of a finished verdict.
void narrate(Verdict& verdict);

// "the job failed", "the job was cancelled": how the attempt ended, as the end of a sentence.
std::string ending_text(model::Outcome outcome);

}  // namespace attrib::verdict
