#pragma once

// A second opinion: the typed tree of a rule set over a body of evidence, evaluated in the slowest
// and most obvious way that docs/semantics.md allows. No bytecode, no index, no budget.

#include "compiler/module.h"
#include "evidence/evidence.h"
#include "verdict/verdict.h"

namespace attrib::reference {

// What a run met on its way: so that a comparison can tell what it has compared.
struct Notes {
  std::uint64_t no = 0, unknown = 0, yes = 0;  // Conditions.
  std::uint64_t strong = 0, weak = 0, weak_demotes = 0;
  std::uint64_t compounds = 0;  // Of more than one member.
  std::uint64_t lifted = 0;
  std::uint64_t learned = 0;
  bool tied = false;
};

struct Options {
  std::size_t causes_per_effect = 64;  // The one budget that is part of what a program means.
};

// Not folded; no program digest.
verdict::Verdict evaluate(const compiler::Module& module, const evidence::Evidence& evidence,
                          const Options& options = {}, Notes* notes = nullptr);

}  // namespace attrib::reference
