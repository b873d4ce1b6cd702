#pragma once

// What an aggregate or an absence collects (docs/semantics.md, "4. Rules").

#include <optional>
#include <vector>

#include "vm/entity_sets.h"
#include "vm/operations.h"

namespace attrib::vm {

struct BagMember {
  Value value;
  bool certain = false;
  bool event = false;  // `fact` is an event, else an occurrence.
  std::uint32_t fact = 0;
  EntityId rank = EntityId::None;  // Of the fact, for `over`.
};

class Bag {
 public:
  void clear();
  void add(const BagMember& member);
  void over(std::uint32_t set) { over_ = set; }

  [[nodiscard]] const std::vector<BagMember>& members() const { return members_; }
  [[nodiscard]] Count count() const;
  [[nodiscard]] Count distinct() const;
  [[nodiscard]] Value least(const EntitySets& sets, const EntityTable& entities,
                            const TextPool& texts) const;
  // The one value that differs from all others, which are at least two and equal.
  [[nodiscard]] Value odd(const EntitySets& sets, const EntityTable& entities) const;
  // Is there nothing in it? Coverage still to be considered.
  [[nodiscard]] model::Truth absent(model::Truth covered) const;

 private:
  [[nodiscard]] bool speaks_for_all(const EntitySets& sets) const;

  std::vector<BagMember> members_;
  std::int64_t certain_ = 0;
  std::optional<std::uint32_t> over_;
};

}  // namespace attrib::vm
