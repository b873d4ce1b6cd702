#pragma once

// The inner side of a demotion: a list of occurrences by type and, where the rule asks for an
// equality, by key, each part in canonical order and open to windows.

#include <optional>
#include <unordered_map>
#include <vector>

#include "vm/near_index.h"

namespace attrib::vm {

// The part of one type.
struct JoinLane {
  std::uint32_t type = 0;
  std::vector<std::uint32_t> list;
  NearIndex near;
};
using JoinLanes = std::vector<JoinLane>;  // By type.

// Without a key all is `equal`, whatever is sought.
struct JoinParts {
  const JoinLanes* equal = nullptr;
  const JoinLanes* maybe = nullptr;  // Whose key is null or unknown.
};

class JoinIndex {
 public:
  JoinIndex(const std::vector<Occurrence>& occurrences, const std::vector<std::uint32_t>& list,
            model::Point point);
  // `keys`: of each of the list; none: null or unknown.
  JoinIndex(const std::vector<Occurrence>& occurrences, const std::vector<std::uint32_t>& list,
            model::Point point, const std::vector<std::optional<Value>>& keys);

  static JoinParts nothing();
  [[nodiscard]] JoinParts all() const { return {&maybe_, &none_}; }
  [[nodiscard]] JoinParts of(const Value& key) const {
    const auto it = equal_.find(key);
    return {it == equal_.end() ? &none_ : &it->second, &maybe_};
  }

 private:
  struct Hash {
    std::size_t operator()(const Value& v) const {
      const auto n = static_cast<std::uint64_t>(v.number) * 0x9e3779b97f4a7c15U;
      return static_cast<std::size_t>(n ^ (n >> 32U)) + static_cast<std::size_t>(v.kind);
    }
  };
  JoinLanes none_, maybe_;
  std::unordered_map<Value, JoinLanes, Hash> equal_;  // Asked, never walked.
};

// Goes through the lanes of both parts, type by type, each type in canonical order.
class JoinCursor {
 public:
  JoinCursor() = default;
  JoinCursor(const JoinParts& parts, const NearBounds& bounds) : parts_(parts), bounds_(bounds) {}

  // Enters the next type that has something in the window. False: there is none.
  bool next_type();
  // The next occurrence of that type, or kNone.
  std::uint32_t next() {
    Side& side = equal_.fact < maybe_.fact ? equal_ : maybe_;
    const std::uint32_t found = side.fact;
    if (found != kNone) side.advance();
    return found;
  }
  [[nodiscard]] std::uint32_t type() const { return type_; }
  // The lanes of that type; null: there is none.
  [[nodiscard]] const JoinLane* equal_lane() const { return equal_.lane; }
  [[nodiscard]] const JoinLane* maybe_lane() const { return maybe_.lane; }

 private:
  struct Side {
    const JoinLane* lane = nullptr;
    NearWindow window;
    std::uint32_t position = 0;
    std::uint32_t fact = kNone;
    void enter(const JoinLane* of, const NearBounds& bounds);
    void advance() {
      position = lane->near.next(window, position);
      fact = position < lane->list.size() ? lane->list[position++] : kNone;
    }
  };
  JoinParts parts_;
  NearBounds bounds_;
  std::uint32_t equal_at_ = 0, maybe_at_ = 0;
  std::uint32_t type_ = kNone;
  Side equal_, maybe_;
};

}  // namespace attrib::vm
