#pragma once

// Pieces that the files of cover share.

#include <string_view>
#include <vector>

#include "compiler/module.h"
#include "dsl/ast.h"
#include "program/program.h"
#include "ruletest/cover.h"

namespace attrib::ruletest {

// The words before `emit` that the rule uses, the plain one first whether it is used or not:
// emissions after one word fire together and are one output.
std::vector<compiler::EmitOn> outputs_of(const compiler::Rule& rule);

// Which output an instruction at `place` belongs to. An emission's instructions stand where its
// `emit` does; all other outputs are the rule's own, 0.
std::size_t output_at(const SourceMap& sources, const compiler::Rule& rule,
                      const program::Place& place);

CoverItem cover_item(const SourceMap& sources, CoverKind kind, const compiler::Rule& rule,
                     Span span);

// The conditions of all rules (loosen.h): covered if in some test a rule without it fires on facts
// on which the whole rule does not.
std::vector<CoverItem> cover_conditions(const std::vector<dsl::File>& files,
                                        const SourceMap& sources, const compiler::Module& module);

}  // namespace attrib::ruletest
