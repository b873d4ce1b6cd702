#pragma once

// Bytes that all connections share. A BudgetShare is what one of them holds; it gives all back when it ends.

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace attrib::http {

class Budget {
 public:
  explicit Budget(std::size_t most) : most_(most) {}
  // `alone`: what is longer than the whole budget may be taken while nothing else is.
  bool take(std::size_t bytes, bool alone = false) {
    std::size_t used = used_.load(std::memory_order_relaxed);
    do {
      if ((bytes > most_ || used > most_ - bytes) && !(alone && used == 0)) return false;
    } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
    return true;
  }
  void give(std::size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  [[nodiscard]] std::size_t used() const { return used_.load(std::memory_order_relaxed); }

 private:
  const std::size_t most_;
  std::atomic<std::size_t> used_{0};
};

class BudgetShare {
 public:
  BudgetShare() = default;
  explicit BudgetShare(std::shared_ptr<Budget> budget) : budget_(std::move(budget)) {}
  BudgetShare(BudgetShare&& other) noexcept : budget_(std::move(other.budget_)), held_(std::exchange(other.held_, 0)) {}
  BudgetShare& operator=(BudgetShare&& other) noexcept {
    reset();
    budget_ = std::move(other.budget_);
    held_ = std::exchange(other.held_, 0);
    return *this;
  }
  BudgetShare(const BudgetShare&) = delete;
  BudgetShare& operator=(const BudgetShare&) = delete;
  ~BudgetShare() { reset(); }

  bool grow(std::size_t bytes, bool alone = false) {
    if (!budget_->take(bytes, alone)) return false;
    held_ += bytes;
    return true;
  }
  void shrink(std::size_t bytes) {
    budget_->give(bytes);
    held_ -= bytes;
  }
  void reset() {
    if (budget_ && held_ > 0) budget_->give(std::exchange(held_, 0));
  }

 private:
  std::shared_ptr<Budget> budget_;
  std::size_t held_ = 0;
};

}  // namespace attrib::http
