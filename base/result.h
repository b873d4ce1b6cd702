#pragma once

// Result<T>: a value or an Error, for what can go wrong in the world (files, damaged programs, bad evidence).
// Mistakes in rule source travel as Diagnostics instead, and our own mistakes as ATTRIB_CHECK.

#include <string>
#include <utility>
#include <variant>

#include "base/check.h"

namespace attrib {

struct Error {
  std::string message;  // Lower case, no full stop; names the place ("FILE:LINE: ..." or "byte N").
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] T& value() & {
    ATTRIB_CHECK(ok(), "value() of a failed Result");
    return std::get<0>(state_);
  }
  [[nodiscard]] const T& value() const& {
    ATTRIB_CHECK(ok(), "value() of a failed Result");
    return std::get<0>(state_);
  }
  [[nodiscard]] T&& value() && {
    ATTRIB_CHECK(ok(), "value() of a failed Result");
    return std::get<0>(std::move(state_));
  }
  [[nodiscard]] const Error& error() const {
    ATTRIB_CHECK(!ok(), "error() of a good Result");
    return std::get<1>(state_);
  }

 private:
  std::variant<T, Error> state_;
};

struct Done {};
using Status = Result<Done>;

}  // namespace attrib

// ATTRIB_TRY(auto x, f()): x is f()'s value, or this function returns f()'s error.
#define ATTRIB_CONCAT_INNER(a, b) a##b
#define ATTRIB_CONCAT(a, b) ATTRIB_CONCAT_INNER(a, b)
#define ATTRIB_TRY(target, expression) \
  ATTRIB_TRY_INNER(ATTRIB_CONCAT(attrib_try_, __LINE__), target, expression)
#define ATTRIB_TRY_INNER(temporary, target, expression)    \
  auto temporary = (expression);                           \
  if (!temporary.ok()) return ::attrib::Error(temporary.error()); \
  target = std::move(temporary).value()
