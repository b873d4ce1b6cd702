#include "program/archive.h"

#include <fmt/format.h>

namespace attrib::program {

void StringPool::number() {
  std::uint32_t next = 0;
  for (auto& [text, index] : index_) index = next++;
}

std::string StringPool::bytes() const {
  StringPool none;
  Writer writer(none, false);
  writer.number(static_cast<std::uint32_t>(index_.size()));
  std::string all;
  for (const auto& [text, index] : index_) {
    writer.number(static_cast<std::uint32_t>(text.size()));
    all += text;
  }
  return writer.take() + all;
}

void Reader::fail(std::string_view what) {
  if (error_) return;
  error_ =
      Error{fmt::format("section `{}`, byte {}: {}", to_text(section_), view_.offset + at_, what)};
}

std::string_view Reader::take(std::size_t count) {
  if (count > left()) fail("the section ends here");
  if (error_) return {};
  const std::string_view out = view_.bytes.substr(at_, count);
  at_ += count;
  return out;
}

std::uint8_t Reader::byte_below(std::size_t limit, std::string_view what) {
  std::uint8_t value = 0;
  number(value);
  if (value < limit) return value;
  --at_;
  fail(fmt::format("{} {} is not below {}", what, value, limit));
  return 0;
}

std::string Reader::count_message(std::uint32_t count) const {
  return fmt::format("a list of {} elements in {} bytes", count, left());
}

void Reader::text(std::string& value) {
  std::uint32_t index = 0;
  number(index);
  if (error_) return;
  if (index >= pool_->size()) {
    return fail(fmt::format("string {} of {}", index, pool_->size()));
  }
  const std::string_view found = (*pool_)[index];
  if (found.size() > *text_budget_) return fail("texts grow past the file's share");
  *text_budget_ -= found.size();
  value = found;
}

void Reader::own_text(std::string& value) {
  std::uint32_t size = 0;
  number(size);
  value = take(size);
}

std::optional<Error> Reader::finish() {
  if (!error_ && left() > 0) fail(fmt::format("{} bytes too many", left()));
  return error_;
}

}  // namespace attrib::program
