#include "base/diagnostics.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace attrib {
namespace {

constexpr auto kCatalogue = std::to_array<DiagnosticInfo>({
#define ATTRIB_DIAGNOSTIC(number, Name, Level, text, more) diag::Name::kInfo,
#include "base/diagnostics.def"
#undef ATTRIB_DIAGNOSTIC
});

}  // namespace

std::span<const DiagnosticInfo> diagnostic_catalogue() { return kCatalogue; }

const DiagnosticInfo* find_diagnostic(std::uint16_t id) {
  const auto found = std::find_if(kCatalogue.begin(), kCatalogue.end(),
                                  [id](const DiagnosticInfo& row) { return row.id == id; });
  return found == kCatalogue.end() ? nullptr : &*found;
}

std::string diagnostic_code(std::uint16_t id) { return fmt::format("RL{:04}", id); }

Diagnostic& DiagnosticSink::add(Diagnostic diagnostic) {
  (diagnostic.info->severity == DiagnosticSeverity::Error ? errors_ : warnings_) += 1;
  if (kept_.size() < kMaxKept) return kept_.emplace_back(std::move(diagnostic));
  ++dropped_;
  return scratch_.emplace(std::move(diagnostic));
}

std::vector<const Diagnostic*> DiagnosticSink::sorted(const SourceMap& sources) const {
  std::vector<const Diagnostic*> all;
  for (const Diagnostic& each : kept_) all.push_back(&each);
  std::stable_sort(all.begin(), all.end(), [&](const Diagnostic* a, const Diagnostic* b) {
    const auto key = [&](const Diagnostic* d) {
      return std::tuple(std::string_view(sources.path(d->span.source)), d->span.begin, d->info->id);
    };
    return key(a) < key(b);
  });
  return all;
}

}  // namespace attrib
