#include "compiler/check.h"

#include <algorithm>

#include "base/digest.h"
#include "compiler/context.h"
#include "compiler/prelude.h"
#include "compiler/rules.h"
#include "compiler/schema.h"
#include "compiler/tables.h"

namespace attrib::compiler {
namespace {

bool is_test(const SourceMap& sources, const dsl::File& file) {
  return sources.path(file.source).ends_with("_test.rules") ||
         std::any_of(file.decls.begin(), file.decls.end(), [](const dsl::Decl& decl) {
           return std::holds_alternative<dsl::TestDecl>(decl);
         });
}

// By path, so that what is kept first of two duplicates does not depend on the command line.
std::vector<const dsl::File*> in_path_order(const std::vector<dsl::File>& files,
                                            const SourceMap& sources) {
  std::vector<const dsl::File*> out;
  for (const dsl::File& file : files) out.push_back(&file);
  std::stable_sort(out.begin(), out.end(), [&](const dsl::File* a, const dsl::File* b) {
    return sources.path(a->source) < sources.path(b->source);
  });
  return out;
}

std::vector<Pack> packs_of(const Names& names) {
  std::vector<Pack> out;
  for (const auto& [name, pack] : names.packs) {
    if (name != kPreludePack) out.push_back({name, pack.version, pack.uses});
  }
  return out;
}

}  // namespace

std::optional<Module> check(const std::vector<dsl::File>& files, SourceMap& sources,
                            const DataFiles& data, const CheckOptions& options,
                            DiagnosticSink& sink) {
  const dsl::File prelude = parse_prelude(sources);
  const std::vector<const dsl::File*> given = in_path_order(files, sources);
  std::vector<const dsl::File*> all = {&prelude};
  all.insert(all.end(), given.begin(), given.end());

  Context c{sources, sink, data, options, {}, {}, {}, {}, {}, {}};
  collect_names(c, all);
  // Past the limits indexes would not fit; there is nothing sound to check.
  if (c.names.too_many) return std::nullopt;
  check_events(c);
  check_symptoms(c);
  check_tables(c);
  check_lets(c);
  check_extracts(c);
  check_decodes(c);
  check_infers(c);
  check_demotes(c);
  check_outcomes(c);
  check_ambiguities(c);
  layer_rules(c);
  if (sink.has_errors()) return std::nullopt;

  c.module.packs = packs_of(c.names);
  std::string tests;
  for (const dsl::File* file : given) {
    if (is_test(sources, *file)) tests += sources.text(file->source);
  }
  c.module.tests_digest = sha256_hex(tests);
  return std::move(c.module);
}

}  // namespace attrib::compiler
