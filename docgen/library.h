#pragma once

// A checked rule library as the pages see it: each declaration as it was written beside what the
// compiler made of it, by pack.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/source.h"
#include "compiler/module.h"
#include "dsl/ast.h"

namespace attrib::docgen {

struct PackFile {
  std::string path;
  std::vector<std::string> about;  // The comment above `pack`, as comment_above() gives it.
};

template <typename Decl>
struct Written {
  const Decl* decl = nullptr;
  const compiler::Rule* rule = nullptr;
};
template <typename Decl>
using WrittenMap = std::map<std::string, Written<Decl>>;  // By name within the pack.

struct Pack {
  const compiler::Pack* pack = nullptr;
  std::vector<PackFile> files;  // By path; no tests.
  std::map<std::string, const model::SymptomType*> symptoms;
  WrittenMap<dsl::ExtractDecl> extracts;
  WrittenMap<dsl::DecodeDecl> decodes;
  WrittenMap<dsl::InferDecl> infers;
  WrittenMap<dsl::DemoteDecl> demotes;
  WrittenMap<dsl::OutcomeDecl> outcomes;
  WrittenMap<dsl::AmbiguousDecl> ambiguities;
  std::map<std::string, const dsl::TableDecl*> tables;
};

class Library {
 public:
  // All of it must outlive the library; `module` is checked from `files`.
  Library(const SourceMap& sources, const std::vector<dsl::File>& files,
          const compiler::Module& module);

  [[nodiscard]] const compiler::Module& module() const { return module_; }
  [[nodiscard]] const std::map<std::string, Pack>& packs() const { return packs_; }

  // From the page of `from` to a declaration, by its heading: "comm.nccl.md#extract-nccl_ras".
  [[nodiscard]] static std::string target(const std::string& from, const std::string& pack,
                                          const std::string& heading);
  // `PACK.RULE` of any kind: the headings it stands under. Nothing: no such rule.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> find(
      const std::string& full_name) const;  // Pack, heading.

  // Symptom types that a variable of a rule may be of; notes and ends as far as they can be.
  [[nodiscard]] std::vector<std::uint32_t> types_of(const compiler::Rule& rule,
                                                    std::uint32_t var) const;

  // By symptom type: the demote rules that may have it as cause, and as effect, by full name.
  [[nodiscard]] const std::vector<const compiler::Rule*>& explains_by(std::uint32_t type) const {
    return causes_[type];
  }
  [[nodiscard]] const std::vector<const compiler::Rule*>& explained_by(std::uint32_t type) const {
    return effects_[type];
  }
  // Rules that emit the symptom type, by kind and full name.
  [[nodiscard]] const std::vector<const compiler::Rule*>& raised_by(std::uint32_t type) const {
    return raised_[type];
  }
  // Extracts that make the event type, by full name.
  [[nodiscard]] const std::vector<const compiler::Extract*>& read_by(std::uint32_t event) const {
    return read_[event];
  }

 private:
  void add_files(const SourceMap& sources, const std::vector<dsl::File>& files);
  void link();

  const compiler::Module& module_;
  std::map<std::string, Pack> packs_;
  std::vector<std::vector<const compiler::Rule*>> causes_, effects_, raised_;
  std::vector<std::vector<const compiler::Extract*>> read_;
};

// "extract xid", "decode gpu_off_bus": the heading of a rule on its pack's page.
std::string heading_of(const compiler::Rule& rule);

// The paragraphs of the comment lines that end right above `offset`; a line that is set in by
// blanks stands by itself, blanks included.
std::vector<std::string> comment_above(std::string_view text, std::size_t offset);

}  // namespace attrib::docgen
