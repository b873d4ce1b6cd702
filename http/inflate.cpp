#include "http/inflate.h"

#include <array>
#include <new>

#include <zlib.h>

namespace attrib::http {

struct Inflater::State {
  z_stream stream{};
  bool begun = false;
  ~State() {
    if (begun) inflateEnd(&stream);
  }
};

Inflater::Inflater(Format format) : format_(format), state_(std::make_unique<State>()) {}
Inflater::~Inflater() = default;

// The wrapper of zlib begins with a byte whose low half is 8 and whose high half is at most 7; a block of bare deflate
// would have to be a stored one with stray bits to look like it.
bool Inflater::begin(char first) {
  constexpr int kWindow = 15;
  const auto byte = static_cast<unsigned char>(first);
  const bool bare = format_ == Format::Deflate && !((byte & 0x0fU) == 8 && byte >> 4U <= 7);
  const int bits = format_ == Format::Gzip ? kWindow + 16 : bare ? -kWindow : kWindow;
  const int code = inflateInit2(&state_->stream, bits);
  if (code == Z_MEM_ERROR) throw std::bad_alloc();
  state_->begun = code == Z_OK;
  return state_->begun;
}

bool Inflater::run(std::string_view bytes, const std::function<bool(std::string_view)>& take) {
  z_stream& stream = state_->stream;
  std::array<char, 16384> out;
  // zlib only reads what next_in points to.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  while (true) {
    if (at_end_) {
      if (stream.avail_in == 0) return true;
      if (format_ == Format::Deflate || inflateReset(&stream) != Z_OK) return false;
      at_end_ = false;
    }
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    const int code = inflate(&stream, Z_NO_FLUSH);
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    // What comes before the damage is given first: a body that is both too long and damaged is too long however it was
    // cut.
    const std::size_t size = out.size() - stream.avail_out;
    if (size > 0 && !take(std::string_view(out.data(), size))) return true;
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) return false;
    at_end_ = code == Z_STREAM_END;
    // Output left room: there is no more of it until more comes in.
    if (!at_end_ && stream.avail_in == 0 && stream.avail_out > 0) return true;
    if (code == Z_BUF_ERROR && size == 0) return true;
  }
}

bool Inflater::add(std::string_view bytes, const std::function<bool(std::string_view)>& take) {
  constexpr std::size_t kMost = std::size_t{1} << 30U;  // zlib counts in 32 bits.
  if (bytes.empty()) return true;
  if (!state_->begun && !begin(bytes.front())) return false;
  bool stopped = false;
  const auto watch = [&](std::string_view piece) { return !(stopped = !take(piece)); };
  while (!bytes.empty() && !stopped) {
    const std::string_view part = bytes.substr(0, kMost);
    bytes.remove_prefix(part.size());
    if (!run(part, watch)) return false;
  }
  return true;
}

}  // namespace attrib::http
