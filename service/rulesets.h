#pragma once

// Named programs. A session chooses one by name when it is made; which program that name means may be swapped between
// verdicts: a verdict holds the program with which it began.

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "program/verify.h"
#include "vm/engine_pool.h"

namespace attrib::service {

struct Ruleset {
  Ruleset(std::string as, std::string from, program::VerifiedProgram loaded)
      : name(std::move(as)), path(std::move(from)), digest(loaded.digest()), program(std::move(loaded)) {}

  std::string name;
  std::string path;
  std::string digest;  // "sha256:...", as in its verdicts.
  program::VerifiedProgram program;
  mutable vm::EnginePool engines{program.get()};  // One for each verdict that is being made.
};

struct ProgramLoad {
  std::string name;
  std::string before, after;  // Digests; equal: nothing changed.
  std::string error;          // Not empty: refused, and why.
};

class Rulesets {
 public:
  // Loads all; an Error names the file. "default" must be among them.
  static Result<std::unique_ptr<Rulesets>> open(const std::map<std::string, std::string>& paths);
  // Loads all again, one entry each, by name. A program that is refused leaves the old one in place.
  std::vector<ProgramLoad> reload();
  [[nodiscard]] std::shared_ptr<const Ruleset> find(const std::string& name) const;  // Null: no such.
  [[nodiscard]] std::vector<std::shared_ptr<const Ruleset>> all() const;             // By name.

 private:
  explicit Rulesets(std::map<std::string, std::string> paths);
  std::map<std::string, std::string> paths_;
  std::mutex reload_mutex_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Ruleset>> loaded_;
};

}  // namespace attrib::service
