#include "evidence/first_lines.h"

#include "base/byte_key.h"

namespace attrib::evidence {
namespace {

constexpr std::size_t kOfAnEntry = 64;  // Bytes beside its text.

}  // namespace

bool FirstLines::again(const StreamKey& stream, model::SourceMask speaks, std::string_view said) {
  key_.clear();
  append_key(stream.rank.value_or(0), &key_);
  append_key(stream.rank.has_value(), &key_);
  append_key(stream.label_kind, &key_);
  append_key(stream.label, &key_);
  append_key(stream.node, &key_);
  return again(speaks, said);
}

bool FirstLines::again(std::uint32_t stream, model::SourceMask speaks, std::string_view said) {
  key_.clear();
  append_key(stream, &key_);
  return again(speaks, said);
}

bool FirstLines::again(model::SourceMask speaks, std::string_view said) {
  append_key(speaks, &key_);
  key_ += said;
  if (said_.contains(key_)) return true;
  const std::size_t bytes = key_.size() + kOfAnEntry;
  if (bytes > kMost / 16) return false;
  if (bytes_ + bytes > kMost) {
    said_.clear();
    bytes_ = 0;
  }
  said_.insert(key_);
  bytes_ += bytes;
  return false;
}

}  // namespace attrib::evidence
