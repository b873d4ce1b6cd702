#pragma once

// One verdict of evidence that lies before us, and how it is printed.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "evidence/read.h"
#include "service/rulesets.h"
#include "verdict/verdict.h"

namespace attrib::service {

enum class Format : std::uint8_t { Json, Text, Markdown, Dot, Mermaid, V1 };
struct Shape {
  Format format = Format::Json;
  bool explain = false;
  friend auto operator<=>(const Shape&, const Shape&) = default;
};
std::string_view word(Format format);
std::optional<Format> parse_format(std::string_view word);  // Not V1, which nobody can ask for.
std::string_view content_type(Format format);
// The first format that an Accept header takes; none: it takes no format of ours.
std::optional<Format> accepted_format(std::string_view accept);

// Reads evidence piece by piece and judges it.
class Judgement {
 public:
  // `exact`: every observation is kept, at several times the size of its text. Else only those that
  // a rule may read are (docs/evidence.md, "What a run keeps of NDJSON"). At most `observations`
  // are kept.
  Judgement(std::shared_ptr<const Ruleset> ruleset, bool exact, std::size_t observations);
  ~Judgement();
  Judgement(Judgement&&) noexcept;

  Status add(std::string name, std::string text);
  [[nodiscard]] bool full() const;  // add() gave an Error because more would be kept.
  Status judge();  // Nothing is added after.
  [[nodiscard]] const verdict::Verdict& verdict() const;
  [[nodiscard]] const evidence::Counters& counters() const;
  [[nodiscard]] std::string printed(Shape shape) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace attrib::service
