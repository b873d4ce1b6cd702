#pragma once

// What the fuzz targets share: one small body of evidence, one small program, and bounds that end a
// run early.

#include <optional>
#include <string>
#include <string_view>

#include "evidence/evidence.h"
#include "program/verify.h"
#include "vm/machine.h"

namespace attrib::fuzz {

// A rule text and the CSV that every table of it reads: what stands before and after a line
// `===csv`.
struct RuleInput {
  std::string rules;
  std::string csv;
};
RuleInput split_rules(std::string_view bytes);

// Compiled as rulec does; none when the rules are wrong, and then `report` says why.
std::optional<program::Program> compile(const RuleInput& input, std::string* report = nullptr);

const evidence::Evidence& sample_evidence();
const program::VerifiedProgram& sample_program();

// Runs, and prints the verdict in every form. Checks what must hold of each run.
void run_and_print(const program::VerifiedProgram& program, const evidence::Evidence& evidence);

}  // namespace attrib::fuzz
