#include "dsl/parse.h"

#include <doctest/doctest.h>

#include "base/diagnostics_render.h"
#include "dsl/syntax.h"

namespace attrib::dsl {
namespace {

TEST_CASE("no rule of the grammar can loop without progress") { CHECK(grammar_problems() == 0); }

}  // namespace
}  // namespace attrib::dsl
