#pragma once

// A writer and a reader with one interface, so that layout.h says each layout once.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/result.h"
#include "program/container.h"

namespace attrib::program {

// Enumerators of T run from 0 to enum_size<T>() - 1; layout.h has the values.
template <typename T>
std::size_t enum_size();

// The pool of the `strings` section: sorted, each once.
class StringPool {
 public:
  void add(const std::string& text) { index_.emplace(text, 0); }
  void number();
  [[nodiscard]] std::uint32_t at(const std::string& text) const { return index_.at(text); }
  [[nodiscard]] std::string bytes() const;

 private:
  std::map<std::string, std::uint32_t> index_;
};

// Writes one section. With a pool that is not numbered yet it only gathers the pool's texts.
class Writer {
 public:
  static constexpr bool kReads = false;
  Writer(StringPool& pool, bool gather) : pool_(&pool), gather_(gather) {}

  template <typename T>
  void number(const T& value) {
    const auto bits = static_cast<std::make_unsigned_t<T>>(value);
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      out_ += static_cast<char>(static_cast<std::uint64_t>(bits) >> (8 * i) & 0xff);
    }
  }
  void flag(const bool& value) { out_ += value ? '\1' : '\0'; }
  template <typename T>
  void word(const T& value) {
    number(static_cast<std::uint8_t>(value));
  }
  void zero() { out_ += '\0'; }
  // A text of the pool.
  void text(const std::string& value) {
    if (gather_) {
      pool_->add(value);
    } else {
      number(pool_->at(value));
    }
  }
  // A text in place, for sections that the program's digest leaves out.
  void own_text(const std::string& value) {
    number(static_cast<std::uint32_t>(value.size()));
    out_ += value;
  }
  template <typename T, typename Each>
  void list(const std::vector<T>& items, const Each& each) {
    number(static_cast<std::uint32_t>(items.size()));
    for (const T& item : items) each(*this, item);
  }
  template <typename T, typename Each>
  void maybe(const std::optional<T>& item, const Each& each) {
    flag(item.has_value());
    if (item) each(*this, *item);
  }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  StringPool* pool_;
  bool gather_;
  std::string out_;
};

// Reads one section. The first thing wrong is kept and ends all lists; what is read after it is
// zero.
class Reader {
 public:
  static constexpr bool kReads = true;
  // `text_budget`: bytes of text that references may still make copies of.
  Reader(Section section, SectionView view, const std::vector<std::string_view>& pool,
         std::uint64_t& text_budget)
      : section_(section),
        offset_(view.offset),
        begin_(view.bytes.data()),
        at_(begin_),
        end_(begin_ + view.bytes.size()),
        pool_(&pool),
        text_budget_(&text_budget) {}

  template <typename T>
  void number(T& value) {
    if (left() < sizeof(T)) {
      value = T{};
      return fail("the section ends here");
    }
    value = read<T>(at_);
    at_ += sizeof(T);
  }
  void flag(bool& value) { value = byte_below(2, "flag") != 0; }
  template <typename T>
  void word(T& value) {
    static const std::size_t kSize = enum_size<T>();
    value = static_cast<T>(byte_below(kSize, "enumerator"));
  }
  void zero() { byte_below(1, "reserved byte"); }
  void text(std::string& value) {
    std::uint32_t index = 0;
    number(index);
    if (index < pool_->size()) {
      const std::string_view found = (*pool_)[index];
      if (found.size() <= *text_budget_) {
        *text_budget_ -= found.size();
        if (!found.empty()) value.append(found);  // It is empty when it is read into.
        return;
      }
    }
    refuse_text(index);
  }
  void own_text(std::string& value);
  template <typename T, typename Each>
  void list(std::vector<T>& items, const Each& each) {
    std::uint32_t count = 0;
    number(count);
    // Every element takes a byte or more.
    if (count > left()) return fail(count_message(count));
    // Most take more: what a wrong count claims stays within a multiple of the section's bytes.
    items.reserve(std::min<std::size_t>(count, left() / kBytesOfElement + 1));
    for (std::uint32_t i = 0; i < count && !error_; ++i) each(*this, items.emplace_back());
  }
  // A list of elements of `size` bytes each: calls each(element, bytes).
  template <typename T, typename Each>
  void records(std::vector<T>& items, std::size_t size, const Each& each) {
    std::uint32_t count = 0;
    number(count);
    if (count > left() / size) return fail(count_message(count));
    items.resize(count);
    for (std::uint32_t i = 0; i < count && !error_; ++i, at_ += size) each(items[i], at_);
  }
  template <typename T, typename Each>
  void maybe(std::optional<T>& item, const Each& each) {
    bool there = false;
    flag(there);
    if (there) each(*this, item.emplace());
  }

  // A number as it stands in the file.
  template <typename T>
  static T read(const char* at) {
    if constexpr (std::endian::native == std::endian::little) {
      T value;
      std::memcpy(&value, at, sizeof value);
      return value;
    } else {
      std::uint64_t bits = 0;
      for (std::size_t i = 0; i < sizeof(T); ++i)
        bits |= std::uint64_t{static_cast<unsigned char>(at[i])} << (8 * i);
      return static_cast<T>(bits);
    }
  }

  // Nothing when the whole section was read and nothing was wrong.
  [[nodiscard]] std::optional<Error> finish();
  void fail(std::string_view what);
  [[nodiscard]] bool failed() const { return error_.has_value(); }

 private:
  static constexpr std::size_t kBytesOfElement = 4;

  [[nodiscard]] std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  std::uint8_t byte_below(std::size_t limit, std::string_view what) {
    if (at_ == end_) {
      fail("the section ends here");
      return 0;
    }
    const auto value = static_cast<std::uint8_t>(*at_);
    if (value >= limit) {
      refuse_byte(value, limit, what);
      return 0;
    }
    ++at_;
    return value;
  }
  void refuse_byte(std::uint8_t value, std::size_t limit, std::string_view what);
  void refuse_text(std::uint32_t index);
  [[nodiscard]] std::string count_message(std::uint32_t count) const;

  Section section_;
  std::size_t offset_;  // Of the section in the file.
  const char* begin_;
  const char* at_;
  const char* end_;
  const std::vector<std::string_view>* pool_;
  std::uint64_t* text_budget_;
  std::optional<Error> error_;
};

}  // namespace attrib::program
