#include "service/rulesets.h"

#include <fmt/format.h>

#include "service/file.h"

namespace attrib::service {
namespace {

constexpr std::size_t kMaxProgramBytes = std::size_t{256} << 20U;

Result<std::shared_ptr<const Ruleset>> load(const std::string& name, const std::string& path) {
  ATTRIB_TRY(const FileText file, read_file(path, kMaxProgramBytes));
  Result<program::VerifiedProgram> loaded = program::load_for_runs(file.text, file.text.size());
  if (!loaded.ok()) return Error{path + ": " + loaded.error().message};
  return std::make_shared<const Ruleset>(name, path, std::move(loaded).value());
}

}  // namespace

Rulesets::Rulesets(std::map<std::string, std::string> paths) : paths_(std::move(paths)) {}

Result<std::unique_ptr<Rulesets>> Rulesets::open(const std::map<std::string, std::string>& paths) {
  if (!paths.contains("default")) return Error{"no ruleset is named `default`"};
  std::unique_ptr<Rulesets> out(new Rulesets(paths));
  std::string errors;
  for (const ProgramLoad& each : out->reload()) {
    if (!each.error.empty()) errors += (errors.empty() ? "" : "\n") + each.error;
  }
  if (!errors.empty()) return Error{errors};
  return out;
}

std::vector<ProgramLoad> Rulesets::reload() {
  // One at a time: of two that came together the second must not be overtaken by the first, which
  // read older files.
  const std::lock_guard one(reload_mutex_);
  std::vector<ProgramLoad> out;
  for (const auto& [name, path] : paths_) {
    ProgramLoad& did = out.emplace_back();
    did.name = name;
    auto fresh = load(name, path);  // Outside of the lock: verdicts go on meanwhile.
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const Ruleset>& current = loaded_[name];
    if (current != nullptr) did.before = did.after = current->digest;
    if (!fresh.ok()) {
      did.error = fresh.error().message;
      if (current == nullptr) loaded_.erase(name);
      continue;
    }
    did.after = fresh.value()->digest;
    // The same program stays: what is cached for it stays warm, and both copies need not be in
    // memory.
    if (did.before != did.after) current = std::move(fresh).value();
  }
  return out;
}

std::shared_ptr<const Ruleset> Rulesets::find(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = loaded_.find(name);
  return found == loaded_.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<const Ruleset>> Rulesets::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<const Ruleset>> out;
  for (const auto& [name, ruleset] : loaded_) out.push_back(ruleset);
  return out;
}

}  // namespace attrib::service
