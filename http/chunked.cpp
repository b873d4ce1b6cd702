#include "http/chunked.h"

#include <algorithm>

namespace attrib::http {
namespace {

int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool printable(char c) { return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f); }

constexpr std::uint64_t kMostChunk = std::uint64_t{1} << 56U;

}  // namespace

void ChunkReader::expect(char c, char wanted, At next) {
  if (c != wanted) return bad();
  at_ = next;
}

void ChunkReader::take_size(char c) {
  const int digit = hex(c);
  if (digit >= 0) {
    if (left_ >= kMostChunk) return bad();
    left_ = left_ * 16 + static_cast<std::uint64_t>(digit);
    at_ = At::SizeMore;
  } else if (at_ == At::SizeMore && c == ';') {
    at_ = At::Extension;
  } else if (at_ == At::SizeMore && c == '\r') {
    at_ = At::SizeEnd;
  } else {
    bad();
  }
}

void ChunkReader::take(char c) {
  switch (at_) {
    case At::Size:
    case At::SizeMore: return take_size(c);
    case At::Extension:
      if (c == '\r')
        at_ = At::SizeEnd;
      else if (!printable(c))
        bad();
      return;
    case At::SizeEnd: return expect(c, '\n', left_ == 0 ? At::TrailerLine : At::Data);
    case At::Data: return;
    case At::DataCr: return expect(c, '\r', At::DataLf);
    case At::DataLf: return expect(c, '\n', At::Size);
    case At::TrailerLine:
      if (c == '\r')
        at_ = At::LastLf;
      else if (printable(c) && c != ' ' && c != '\t')
        at_ = At::Trailer;
      else
        bad();
      return;
    case At::Trailer:
      if (c == '\r')
        at_ = At::TrailerEnd;
      else if (!printable(c))
        bad();
      return;
    case At::TrailerEnd: return expect(c, '\n', At::TrailerLine);
    case At::LastLf:
      if (c == '\n')
        state_ = State::Done;
      else
        bad();
      return;
  }
}

ChunkReader::Step ChunkReader::next(std::string_view bytes) {
  Step step;
  while (state_ == State::More && step.used < bytes.size()) {
    if (at_ == At::Data) {
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size() - step.used));
      step.data = bytes.substr(step.used, size);
      step.used += size;
      left_ -= size;
      content_ += size;
      if (left_ == 0) at_ = At::DataCr;
      return step;
    }
    take(bytes[step.used]);
    ++step.used;
    if (++envelope_ > 16384 + 16 * content_) bad();
  }
  return step;
}

}  // namespace attrib::http
