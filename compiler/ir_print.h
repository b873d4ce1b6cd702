#pragma once

#include <string>

#include "compiler/module.h"

namespace attrib::compiler {

// One rule with its variables, tests and outputs, indented; part of the dump of a module.
std::string rule_text(const Module& module, const Rule& rule);

}  // namespace attrib::compiler
