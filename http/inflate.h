#pragma once

// Decompresses a body as its bytes arrive, piece by piece, so that whoever takes the pieces can stop at any byte.

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace attrib::http {

class Inflater {
 public:
  enum class Format { Gzip, Deflate };
  static constexpr std::size_t kBytes = std::size_t{48} * 1024;  // About what one holds.

  explicit Inflater(Format format);
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Gives what `bytes` stand for to `take`, at most 16 KiB at a time, until it returns false. A gzip body may have
  // several members (concatenated files are one). Deflate is taken with its zlib wrapper and, as some clients send it,
  // without. False: damaged, or something follows the end.
  bool add(std::string_view bytes, const std::function<bool(std::string_view)>& take);
  // The bytes so far are whole.
  [[nodiscard]] bool complete() const { return at_end_; }

 private:
  struct State;
  bool begin(char first);
  bool run(std::string_view bytes, const std::function<bool(std::string_view)>& take);

  Format format_;
  std::unique_ptr<State> state_;
  bool at_end_ = false;
};

}  // namespace attrib::http
