#pragma once

// What is declared in all files, by name, before anything is checked. Names resolve over all files;
// each is unique over all packs within its kind. Maps are ordered, so nothing depends on the order
// of files.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "dsl/ast.h"
#include "model/vocabulary.h"

namespace attrib::compiler {

template <typename T>
struct Declared {
  const T* decl = nullptr;
  std::string pack;
};
template <typename T>
using DeclaredMap = std::map<std::string, Declared<T>>;

struct PackNames {
  std::string version;
  Span span;
  std::vector<std::string> uses;  // Sorted, unique.
};

struct Names {
  std::map<std::string, PackNames> packs;
  DeclaredMap<dsl::EventDecl> events;
  DeclaredMap<dsl::SymptomDecl> symptoms;
  DeclaredMap<dsl::TableDecl> tables;
  DeclaredMap<dsl::LetDecl> lets;
  DeclaredMap<dsl::ExtractDecl> extracts;
  DeclaredMap<dsl::DecodeDecl> decodes;
  DeclaredMap<dsl::InferDecl> infers;
  DeclaredMap<dsl::DemoteDecl> demotes;
  DeclaredMap<dsl::OutcomeDecl> outcomes;
  DeclaredMap<dsl::AmbiguousDecl> ambiguities;
  std::map<std::string, std::string> renamed;  // Old symptom name -> new one (`was`).
  bool too_many = false;                       // A limit was passed.
};

struct Context;

// Fills Context::names from the files and the prelude; reports duplicates, packs, versions and
// languages.
void collect_names(Context& context, const std::vector<const dsl::File*>& files);

// Resolve a written name, or report it with the nearest declared one and its place. The result is
// an index into the module's table of that kind.
std::optional<std::uint32_t> find_event(Context& context, const dsl::Name& name);
std::optional<std::uint32_t> find_symptom(Context& context, const dsl::Name& name);
std::optional<std::uint32_t> find_table(Context& context, const dsl::Name& name);

// Reports `what` called `name` as unknown, with the nearest of `candidates`.
Diagnostic& report_unknown(Context& context, const std::string& what, const dsl::Name& name,
                           const std::vector<std::string>& candidates);

// Reports a name taken from a pack that the current one does not `use`.
void check_used(Context& context, const std::string& what, const dsl::Name& name,
                const std::string& pack);

// A word of an enumeration ("role", "domain" ...), or a report with the nearest.
std::optional<std::size_t> find_word(Context& context, const std::string& what,
                                     const dsl::Name& name,
                                     std::span<const std::string_view> words);
template <typename T>
std::optional<T> find_word_of(Context& context, const std::string& what, const dsl::Name& name) {
  const auto index = find_word(context, what, name, model::words<T>());
  if (!index) return std::nullopt;
  return static_cast<T>(*index);
}

}  // namespace attrib::compiler
