#pragma once

namespace attrib::cli {

// The same for every program (docs/architecture.md): scripts may rely on them.
enum ExitCode : int {
  kDone = 0,        // A verdict was printed, whatever it says; all tests passed.
  kFindings = 1,    // Findings, or failed tests.
  kRefused = 2,     // Rules, program or evidence refused.
  kUsage = 3,       // Wrong flags.
  kIncomplete = 4,  // A verdict was printed, but it is provisional or evidence was rejected.
};

}  // namespace attrib::cli
