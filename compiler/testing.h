#pragma once

// For tests of the compiler: checks texts held in memory.

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics_render.h"
#include "compiler/check.h"
#include "dsl/parse.h"

namespace attrib::compiler {

class MemoryData : public DataFiles {
 public:
  std::map<std::string, std::string> files;
  [[nodiscard]] std::optional<Found> read(const std::string& path,
                                          const std::string&) const override {
    const auto at = files.find(path);
    if (at == files.end()) return std::nullopt;
    return Found{"data/" + path, at->second};
  }
};

struct Checked {
  SourceMap sources;
  DiagnosticSink sink;
  std::optional<Module> module;

  [[nodiscard]] std::string report() const { return render_diagnostics(sink, sources, false); }
  // "RL0301" of each diagnostic, in order, joined by blanks.
  [[nodiscard]] std::string codes() const {
    std::string out;
    for (const Diagnostic* d : sink.sorted(sources)) {
      out += (out.empty() ? "" : " ") + diagnostic_code(d->info->id);
    }
    return out;
  }
  [[nodiscard]] bool says(const std::string& text) const {
    return report().find(text) != std::string::npos;
  }
};

using Files = std::vector<std::pair<std::string, std::string>>;

inline void check_files(Checked* out, const Files& texts, const MemoryData& data = {},
                        const CheckOptions& options = {}) {
  std::vector<dsl::File> files;
  for (const auto& [path, text] : texts) {
    const SourceId id = out->sources.add(path, text);
    files.push_back(dsl::parse(out->sources, id, out->sink));
  }
  REQUIRE_MESSAGE(!out->sink.has_errors(), out->report());
  out->module = check(files, out->sources, data, options, out->sink);
  CHECK(out->module.has_value() == !out->sink.has_errors());
}

// One file of pack `t`; the header is added.
inline Checked* check_text(Checked* out, const std::string& text, const MemoryData& data = {},
                           const CheckOptions& options = {}) {
  check_files(out, {{"t.rules", "pack t 1.0.0\nlanguage 1\n" + text}}, data, options);
  return out;
}

inline void expect_good(const std::string& text, const MemoryData& data = {}) {
  Checked checked;
  check_text(&checked, text, data);
  CHECK_MESSAGE(checked.module.has_value(), checked.report());
  CHECK_MESSAGE(checked.codes().empty(), checked.report());
}
// Exactly these diagnostics, and the report holds `part`.
inline void expect_bad(const std::string& text, const std::string& codes, const std::string& part,
                       const MemoryData& data = {}) {
  Checked checked;
  check_text(&checked, text, data);
  CHECK_MESSAGE(checked.codes() == codes, checked.report());
  CHECK_MESSAGE(checked.says(part), checked.report());
}

// Types and extracts that many tests build on.
inline std::string basics() {
  return R"(
event Xid on Gpu { code u16  unit word?  level (Fatal | Nonfatal)?  link i16?  intr bits32?  status bits32? }
event Watchdog on Rank { coll Collective?  timeout ms  seq u64? }
extract xid from kernel as Xid {
  line   "NVRM: Xid (PCI:{gpu}): {code}, {unit} {level} Link {link}"
  line   "NVRM: Xid (PCI:{gpu}): {code}{?, {...}?}"
  sample "NVRM: Xid (PCI:0000:04:00): 149, NETIR Fatal Link 08" gives { gpu: "0000:04:00", code: 149, level: Fatal, link: 8 }
  sample "NVRM: Xid (PCI:0000:04:00): 79, GPU has fallen off the bus." gives { code: 79 }
  reject "NVRM: loading NVIDIA UNIX x86_64 Kernel Module"
}
symptom gpu.fault on Node | Gpu {
  gpu Gpu
  code u16
  link i16?
  fatal bool
  role origin
  domain gpu
  key gpu, code
  tags [fatal, gpu]
}
symptom nccl.timeout on Rank {
  coll Collective?
  timeout ms
  role victim
  domain application
}
symptom job.ended on Attempt { state word?  role end }
)";
}

}  // namespace attrib::compiler
