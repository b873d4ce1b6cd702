#include "evidence/id_list.h"

#include <fmt/format.h>

#include <functional>
#include <stdexcept>
#include <utility>

namespace attrib::evidence {

IdList::IdList(const IdList& other)
    : first_(other.first_),
      line_(other.line_),
      more_(other.more_ ? std::make_unique<std::vector<std::string>>(*other.more_) : nullptr) {}

IdList& IdList::operator=(IdList other) noexcept {
  first_ = std::move(other.first_);
  line_ = other.line_;
  more_ = std::move(other.more_);
  return *this;
}

IdList IdList::of_line(SharedText file, std::uint64_t line) {
  IdList out;
  if (file.empty() || line == 0) {
    out.push_back(fmt::format("{}:{}", file.view(), line));
    return out;
  }
  out.first_ = std::move(file);
  out.line_ = line;
  return out;
}

std::string IdList::operator[](std::size_t i) const {
  if (more_) return (*more_)[i];
  if (line_ == 0) return first_.str();
  const fmt::format_int number(line_);
  std::string out;
  out.reserve(first_.size() + 1 + number.size());
  out += first_.view();
  out += ':';
  out.append(number.data(), number.size());
  return out;
}

std::string IdList::at(std::size_t i) const {
  if (i >= size()) throw std::out_of_range("no such id");
  return (*this)[i];
}

std::vector<std::string> IdList::list() const {
  if (more_) return *more_;
  std::vector<std::string> out;
  if (!first_.empty()) out.push_back(front());
  return out;
}

void IdList::assign(const std::vector<std::string>& ids) {
  clear();
  if (ids.size() == 1 && !ids[0].empty()) {
    first_ = ids[0];
  } else if (!ids.empty()) {
    more_ = std::make_unique<std::vector<std::string>>(ids);
  }
}

void IdList::push_back(std::string_view id) {
  if (empty() && !id.empty()) {
    *this = IdList();
    first_ = SharedText(id);
    return;
  }
  std::vector<std::string> all = list();
  all.emplace_back(id);
  assign(all);
}

bool IdList::same_first(const IdList& other) const {
  // The last colon parts file and line, so equal texts are equal in both.
  if (!more_ && !other.more_ && line_ != 0 && other.line_ != 0)
    return line_ == other.line_ && first_ == other.first_;
  if (is_text() && other.is_text()) return first_ == other.first_;
  return front() == other.front();
}

std::uint64_t IdList::hash_of_first() const {
  if (is_text()) return std::hash<std::string_view>{}(first_.view());
  return std::hash<std::string>{}(front());
}

bool operator==(const IdList& a, const IdList& b) {
  if (a.size() != b.size()) return false;
  if (a.size() == 1) return a.same_first(b);
  return a.list() == b.list();
}

std::strong_ordering operator<=>(const IdList& a, const IdList& b) {
  if (a == b) return std::strong_ordering::equal;
  return a.list() <=> b.list();
}

}  // namespace attrib::evidence
