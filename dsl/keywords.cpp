#include "dsl/keywords.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "dsl/parse.h"

namespace attrib::dsl {
namespace {

using Words = std::vector<std::string>;

const std::vector<std::pair<std::string, Words>>& blocks() {
  static const std::vector<std::pair<std::string, Words>> kBlocks = {
      {"event", {"progress"}},
      {"symptom",
       {"role", "domain", "title", "blame", "key", "quiet", "severity", "owner", "action", "retry",
        "tags", "references", "locates", "was", "deprecated"}},
      {"extract",
       {"line", "regex", "next", "within", "slow", "sample", "reject", "set", "at", "begin",
        "where", "family", "keep", "references"}},
      {"table", {"match", "from", "default"}},
      {"decode",
       {"on", "lookup", "when", "emit", "confidence", "role", "domain", "action", "retry", "blame",
        "severity", "title", "begin", "references"}},
      {"infer",
       {"each", "absent", "when", "lookup", "emit", "unknown", "unsure", "uncovered", "confidence",
        "role", "domain", "action", "retry", "blame", "severity", "title", "begin", "references"}},
      {"demote", {"param", "cause", "effect", "where", "within", "because", "of", "references"}},
      {"outcome", {"on", "when", "gives", "rank", "emit", "references"}},
      {"ambiguous", {"among", "when", "verdict", "report", "ask", "references"}},
      {"test", {"job", "place", "clock", "source", "log", "record", "metric", "expect"}},
  };
  return kBlocks;
}

}  // namespace

const std::vector<std::string>& declaration_keywords() {
  static const Words kKeywords = {"pack",    "language",  "use",    "event",    "symptom",
                                  "extract", "table",     "decode", "infer",    "demote",
                                  "outcome", "ambiguous", "let",    "override", "test"};
  return kKeywords;
}

bool is_declaration_keyword(std::string_view word) {
  const auto& all = declaration_keywords();
  return std::find(all.begin(), all.end(), word) != all.end();
}

std::span<const std::string> clause_words(std::string_view declaration) {
  for (const auto& [name, words] : blocks()) {
    if (name == declaration) return words;
  }
  return {};
}

}  // namespace attrib::dsl
