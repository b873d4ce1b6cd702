#pragma once

// A rule file. Parsing goes declaration by declaration (dsl/split.h); the whole-file rule is what
// PEGTL's analysis checks.

#include "dsl/grammar/test_block.h"

namespace attrib::dsl::grammar {

struct declaration : p::sor<pack, language, use, event, symptom, extract, table, decode, infer,
                            demote, outcome, ambiguous, let, override_block, test> {
  static constexpr const char* expected = "a declaration";
};
struct declaration_end : p::eof {
  static constexpr const char* expected = kDeclarationEnd;
};
struct single_declaration : p::seq<gap, p::must<declaration>, p::must<declaration_end>> {};
struct file : p::seq<gap, p::star<declaration>, p::must<declaration_end>> {};

}  // namespace attrib::dsl::grammar
