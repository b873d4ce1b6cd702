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
  error_ = Error{fmt::format("section `{}`, byte {}: {}", to_text(section_),
                             offset_ + static_cast<std::size_t>(at_ - begin_), what)};
  at_ = end_;
}

void Reader::refuse_byte(std::uint8_t value, std::size_t limit, std::string_view what) {
  fail(fmt::format("{} {} is not below {}", what, value, limit));
}

std::string Reader::count_message(std::uint32_t count) const {
  return fmt::format("a list of {} elements in {} bytes", count, left());
}

void Reader::refuse_text(std::uint32_t index) {
  if (error_) return;
  fail(index < pool_->size() ? "texts grow past the file's share"
                             : fmt::format("string {} of {}", index, pool_->size()));
}

void Reader::own_text(std::string& value) {
  std::uint32_t size = 0;
  number(size);
  if (size > left()) return fail("the section ends here");
  value.assign(at_, size);
  at_ += size;
}

std::optional<Error> Reader::finish() {
  if (!error_ && left() > 0) fail(fmt::format("{} bytes too many", left()));
  return error_;
}

}  // namespace attrib::program
