#pragma once

// The literals by which a filter finds the lines of each alternative.

#include "compiler/context.h"

namespace attrib::compiler {

// Chooses them for all alternatives of the module at once, since what one needs costs the next one
// less, and warns where they are weak. The choice depends on the rules alone, not on the order of
// files.
void choose_literals(Context& context);

}  // namespace attrib::compiler
