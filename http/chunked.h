#pragma once

// Takes a chunked body apart as its bytes arrive. Strict: CR LF line ends, no blank around a size, and no more framing
// than 16 bytes for each byte of content (and 16 KiB), so that nobody can keep the server busy with empty envelopes.
// Extensions and trailers are read over. Beast's own reader of chunks is not used: see http/head.cpp.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace attrib::http {

class ChunkReader {
 public:
  enum class State { More, Done, Bad };
  struct Step {
    std::size_t used = 0;   // Of `bytes`; 0 only if these are empty or the body is done or bad.
    std::string_view data;  // Content among them.
  };
  Step next(std::string_view bytes);
  [[nodiscard]] State state() const { return state_; }

 private:
  enum class At { Size, SizeMore, Extension, SizeEnd, Data, DataCr, DataLf, TrailerLine, Trailer, TrailerEnd, LastLf };
  void take(char c);
  void take_size(char c);
  void bad() { state_ = State::Bad; }
  void expect(char c, char wanted, At next);

  State state_ = State::More;
  At at_ = At::Size;
  std::uint64_t left_ = 0;      // Of the present chunk.
  std::uint64_t content_ = 0;   // So far.
  std::uint64_t envelope_ = 0;  // Bytes that are not content, so far.
};

}  // namespace attrib::http
