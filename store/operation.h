#pragma once

// Something to be written, with who waits for it.

#include <cstddef>
#include <functional>
#include <new>
#include <utility>
#include <variant>

#include "store/store.h"

namespace attrib::store {

class Tables;

class Operation {
 public:
  explicit Operation(std::size_t bytes) : bytes_(bytes) {}
  virtual ~Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  // May be run again if the transaction around it is lost.
  virtual void run(Tables& tables) = 0;
  virtual void fail(Failure failure) = 0;
  // Null: it is done.
  [[nodiscard]] virtual const Failure* failure() const = 0;
  virtual void call_back() noexcept = 0;  // Once, at the end.

  [[nodiscard]] std::size_t bytes() const { return bytes_; }  // Memory it holds while it waits.

 private:
  std::size_t bytes_;
};

template <typename T>
class OperationOf : public Operation {
 public:
  using Work = std::function<Outcome<T>(Tables&)>;
  OperationOf(std::size_t bytes, Work work, Then<T> then)
      : Operation(bytes), work_(std::move(work)), then_(std::move(then)) {}

  void run(Tables& tables) override {
    try {
      outcome_ = work_(tables);
    } catch (const std::bad_alloc&) {
      outcome_ = Failure{FailureKind::Broken, "out of memory"};
    }
  }
  void fail(Failure failure) override { outcome_ = std::move(failure); }
  [[nodiscard]] const Failure* failure() const override { return std::get_if<Failure>(&outcome_); }
  void call_back() noexcept override {
    try {
      if (then_) then_(std::move(outcome_));
    } catch (...) {
      // Whoever throws there has lost his own answer; the others' must still come.
    }
  }

 private:
  Work work_;
  Then<T> then_;
  Outcome<T> outcome_ = Failure{FailureKind::Broken, "not done"};
};

}  // namespace attrib::store
