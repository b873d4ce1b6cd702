#pragma once

// Diagnostics: what is wrong with an author's rule source, with a stable id and a place.
//
//   sink.emit<diag::TypeMismatch>(span, "code", "u16", "word").note(other, "declared here").hint("...");
//
// Emitting (here), ordering (sorted()) and drawing (base/diagnostics_render.h) are three parts.

#include <fmt/format.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/source.h"

namespace attrib {

enum class DiagnosticSeverity : std::uint8_t { Error, Warning };

struct DiagnosticInfo {
  std::uint16_t id;  // 301 prints as RL0301.
  std::string_view name;
  DiagnosticSeverity severity;
  std::string_view format;
  std::string_view explanation;
};

// All rows of diagnostics.def, in its order.
std::span<const DiagnosticInfo> diagnostic_catalogue();
const DiagnosticInfo* find_diagnostic(std::uint16_t id);
std::string diagnostic_code(std::uint16_t id);  // "RL0301"

struct DiagnosticNote {
  std::optional<Span> span;  // Another place involved, or none.
  std::string message;
};

class Diagnostic {
 public:
  Diagnostic(const DiagnosticInfo& about, Span where, std::string text)
      : info(&about), span(where), message(std::move(text)) {}

  Diagnostic& note(Span where, std::string text) {
    notes.push_back({where, std::move(text)});
    return *this;
  }
  Diagnostic& hint(std::string text) {
    hints.push_back(std::move(text));
    return *this;
  }

  const DiagnosticInfo* info;
  Span span;
  std::string message;
  std::vector<DiagnosticNote> notes;
  std::vector<std::string> hints;
};

namespace diag {
// One type a row, whose constructor-free constants let emit<> check the arguments when compiling.
#define ATTRIB_DIAGNOSTIC(number, Name, Level, text, more)                                    \
  struct Name {                                                                               \
    static constexpr DiagnosticInfo kInfo{number, #Name, DiagnosticSeverity::Level, text, more}; \
    static constexpr auto format() { return FMT_STRING(text); }                               \
  };
#include "base/diagnostics.def"
#undef ATTRIB_DIAGNOSTIC
}  // namespace diag

// Collects; never throws, never stops. At most kMaxKept are kept, the rest are counted.
class DiagnosticSink {
 public:
  static constexpr std::size_t kMaxKept = 1000;

  template <typename Kind, typename... Args>
  Diagnostic& emit(Span span, Args&&... args) {
    return add(Diagnostic(Kind::kInfo, span, fmt::format(Kind::format(), std::forward<Args>(args)...)));
  }

  Diagnostic& add(Diagnostic diagnostic);

  [[nodiscard]] bool has_errors() const { return errors_ > 0; }
  [[nodiscard]] std::size_t error_count() const { return errors_; }
  [[nodiscard]] std::size_t warning_count() const { return warnings_; }
  [[nodiscard]] std::size_t dropped() const { return dropped_; }
  // By file, place, id: the order in which they are shown.
  [[nodiscard]] std::vector<const Diagnostic*> sorted(const SourceMap& sources) const;

 private:
  std::deque<Diagnostic> kept_;  // A deque, so that the reference emit() returns stays valid.
  std::optional<Diagnostic> scratch_;
  std::size_t errors_ = 0;
  std::size_t warnings_ = 0;
  std::size_t dropped_ = 0;
};

}  // namespace attrib
