#pragma once

// The ids of an observation, mostly one. That of a raw log's line, FILE:LINE, is made when it is
// asked for: until then it is a number.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/shared_text.h"

namespace attrib::evidence {

class IdList {
 public:
  IdList() = default;
  IdList(std::initializer_list<std::string> ids) { assign(ids); }
  IdList(const IdList& other);
  IdList(IdList&&) noexcept = default;
  IdList& operator=(IdList other) noexcept;
  ~IdList() = default;
  // `line` from 1.
  static IdList of_line(SharedText file, std::uint64_t line);

  [[nodiscard]] std::size_t size() const { return more_ ? more_->size() : first_.empty() ? 0 : 1; }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] std::string operator[](std::size_t i) const;
  [[nodiscard]] std::string at(std::size_t i) const;  // Throws std::out_of_range.
  [[nodiscard]] std::string front() const { return (*this)[0]; }
  [[nodiscard]] std::vector<std::string> list() const;

  void push_back(std::string_view id);
  void assign(const std::vector<std::string>& ids);
  void clear() { *this = IdList(); }

  // Texts by place; each is made when it is read.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = std::string;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = std::string;

    Iterator() = default;
    Iterator(const IdList* ids, std::size_t at) : ids_(ids), at_(at) {}
    std::string operator*() const { return (*ids_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return {ids_, at_++}; }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const IdList* ids_ = nullptr;
    std::size_t at_ = 0;
  };
  [[nodiscard]] Iterator begin() const { return {this, 0}; }
  [[nodiscard]] Iterator end() const { return {this, size()}; }

  // The first ids of both are one, which is told without making texts of them. There is one each.
  [[nodiscard]] bool same_first(const IdList& other) const;
  [[nodiscard]] std::uint64_t hash_of_first() const;

  friend bool operator==(const IdList& a, const IdList& b);
  friend bool operator==(const IdList& a, const std::vector<std::string>& b) { return a.list() == b; }
  friend std::strong_ordering operator<=>(const IdList& a, const IdList& b);

 private:
  [[nodiscard]] bool is_text() const { return !more_ && line_ == 0; }

  SharedText first_;         // The only id, or its file. Empty where there are several or none.
  std::uint64_t line_ = 0;   // Of the file; 0: `first_` is the whole id.
  std::unique_ptr<std::vector<std::string>> more_;  // All, where there are several.
};

}  // namespace attrib::evidence
