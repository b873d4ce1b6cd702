#pragma once

#include <cstdint>
#include <vector>

#include "compiler/module.h"

namespace attrib::compiler {

// The symptom types whose facts can satisfy the own `where` of an `any` variable, as far as its
// tests of tags, role, domain and name decide that by the type alone. Sorted. A scan over them
// binds all that a scan over every type could let pass: what the types leave open is tested for
// each fact.
std::vector<std::uint32_t> possible_types(const Module& module, const Rule& rule, VarId var);

}  // namespace attrib::compiler
