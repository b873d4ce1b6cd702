#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "verdict/verdict.h"

namespace attrib::verdict {

// Schema attrib.verdict/1. Ends with a line end. `mask_digest` prints "sha256:masked" for golden
// tests. With `explain`, symptoms carry proofs.
struct JsonOptions {
  bool mask_digest = false;
  bool explain = false;
};
std::string to_json(const Verdict& verdict, const JsonOptions& options = {});
// The same in pieces of some 64 KiB: a flood's verdict is megabytes, which need not be in memory.
using Sink = std::function<void(std::string_view piece)>;
void write_json(const Verdict& verdict, const JsonOptions& options, const Sink& sink);

// Finds the text of an observation by id, for quoting; empty when not found.
using QuoteLine = std::function<std::string(std::string_view id)>;

struct TextOptions {
  std::size_t width = 80;
  bool color = false;
  bool explain = false;
};
// For people: headline, root cause with quoted lines, timeline, what was demoted and why, what was
// missing, what to do next; folded ("10,239 ranks on 1,280 nodes"), within 60 lines unless
// `explain`.
std::string to_text(const Verdict& verdict, const QuoteLine& quote,
                    const TextOptions& options = {});
std::string to_markdown(const Verdict& verdict, const QuoteLine& quote);  // For an incident ticket.
std::string to_dot(const Verdict& verdict);                               // The causality graph.
std::string to_mermaid(const Verdict& verdict);

}  // namespace attrib::verdict
