#pragma once

// Where a run is, told to whoever measures it. The VM reads no clock and counts nothing for it that
// it does not count anyway, and no verdict depends on what a listener does.

#include <cstdint>

namespace attrib::vm {

enum class Stage : std::uint8_t {
  Extract,  // Lines, samples and records to events.
  Resolve,  // One name for each entity.
  Decode,
  Fold,  // Symptoms to occurrences; inside Decode, Infer and Outcome.
  Infer,
  Outcome,
  Demote,
  Rank,      // Graph, candidates, ambiguity.
  Assemble,  // The verdict as a value, in words.
};
constexpr std::size_t kStages = static_cast<std::size_t>(Stage::Assemble) + 1;

// Calls nest: a rule inside a stage, a fold inside another stage.
class Profile {
 public:
  Profile() = default;
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;
  virtual ~Profile() = default;
  virtual void enter(Stage stage) = 0;
  virtual void leave(Stage stage) = 0;
  // `rule`: its place in Program::rules. An extract runs once for each line that it matches.
  virtual void enter_rule(std::uint32_t rule) = 0;
  virtual void leave_rule(std::uint32_t rule) = 0;
};

// Tells of one stage, or nothing without a listener.
class InStage {
 public:
  InStage(Profile* profile, Stage stage) : profile_(profile), stage_(stage) {
    if (profile_ != nullptr) profile_->enter(stage_);
  }
  InStage(const InStage&) = delete;
  InStage& operator=(const InStage&) = delete;
  ~InStage() {
    if (profile_ != nullptr) profile_->leave(stage_);
  }

 private:
  Profile* profile_;
  Stage stage_;
};

// The same of one rule.
class InRule {
 public:
  InRule(Profile* profile, std::uint32_t rule) : profile_(profile), rule_(rule) {
    if (profile_ != nullptr) profile_->enter_rule(rule_);
  }
  InRule(const InRule&) = delete;
  InRule& operator=(const InRule&) = delete;
  ~InRule() {
    if (profile_ != nullptr) profile_->leave_rule(rule_);
  }

 private:
  Profile* profile_;
  std::uint32_t rule_;
};

}  // namespace attrib::vm
