#pragma once

// Line templates: "NVRM: Xid (PCI:{gpu}): {code}{?, {...}?}" to model::LineTemplate, with the
// captures of its extract.

#include <set>
#include <string>
#include <vector>

#include "compiler/context.h"

namespace attrib::compiler {

// The captures of one extract, in order of first appearance. A hole's name is a field of the event,
// an entity kind's word (`{gpu}`, `{node}`), or a local name with its reader (`{ran_for:ms}`).
class Captures {
 public:
  Captures(Context& context, const model::EventType* event) : c_(context), event_(event) {}

  // The capture's index, or nothing after a report. `spec` is what stands after the colon; empty if
  // none does.
  std::optional<std::uint16_t> declare(const std::string& name, const std::string& spec, Span span,
                                       model::Reader* reader);
  [[nodiscard]] std::optional<std::uint16_t> find(const std::string& name) const;
  [[nodiscard]] const std::vector<Capture>& all() const { return captures_; }

 private:
  std::optional<model::Type> type_of(const std::string& name, const std::string& spec, Span span,
                                     model::Reader* reader);
  Context& c_;
  const model::EventType* event_;
  std::vector<Capture> captures_;
  std::vector<Span> spans_;
};

struct ParsedLine {
  model::LineTemplate line;
  std::set<std::uint16_t> captured;  // All captures.
  std::set<std::uint16_t> always;    // Those outside optional parts.
};

ParsedLine parse_line(Context& context, const dsl::LinePattern& pattern, Captures& captures);

}  // namespace attrib::compiler
