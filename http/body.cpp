#include "http/body.h"

#include <algorithm>
#include <utility>

namespace attrib::http {
namespace {

constexpr const char* kTooManyBodies = "too many request bodies are in flight (setting limits.bodies)";

std::string too_long(std::size_t limit) {
  return "the body of the request has more than " + std::to_string(limit) + " bytes, as sent or decompressed";
}

}  // namespace

BodyReader::BodyReader(const Framing& framing, std::string_view encoding, std::size_t limit,
                       std::shared_ptr<Budget> budget)
    : limit_(limit), left_(framing.length.value_or(0)), share_(std::move(budget)) {
  if (framing.chunked) chunks_.emplace();
  done_ = !framing.has_body();
  if (done_) return;
  if (left_ > limit_) {
    refuse(413, too_long(limit_));
  } else if (equals_ignoring_case(encoding, "gzip") || equals_ignoring_case(encoding, "x-gzip")) {
    format_ = Inflater::Format::Gzip;
  } else if (equals_ignoring_case(encoding, "deflate")) {
    format_ = Inflater::Format::Deflate;
  } else if (!encoding.empty() && !equals_ignoring_case(encoding, "identity")) {
    refuse(415, "Content-Encoding is neither gzip nor deflate");
  }
}

bool BodyReader::refuse(unsigned status, const std::string& detail) {
  refusal_ = Refusal{status, detail};
  // What was read is of no more use, and the refusal may take a while to reach the client.
  std::string().swap(body_);
  inflater_.reset();
  share_.reset();
  return false;
}

std::size_t BodyReader::read(std::string_view bytes) {
  if (done_ || refusal_) return 0;
  if (chunks_) return read_chunked(bytes);
  const std::string_view mine = bytes.substr(0, left_);
  left_ -= mine.size();
  if (add(mine) && left_ == 0) finish();
  return mine.size();
}

std::size_t BodyReader::read_chunked(std::string_view bytes) {
  std::size_t used = 0;
  while (used < bytes.size() && chunks_->state() == ChunkReader::State::More) {
    const ChunkReader::Step step = chunks_->next(bytes.substr(used));
    used += step.used;
    if (!add(step.data)) return used;
  }
  if (chunks_->state() == ChunkReader::State::Bad) refuse(400, "the chunks of the body are damaged");
  if (chunks_->state() == ChunkReader::State::Done) finish();
  return used;
}

bool BodyReader::add(std::string_view content) {
  if (content.empty()) return true;
  if (content.size() > limit_ - wire_) return refuse(413, too_long(limit_));
  wire_ += content.size();
  if (!format_) return store(content);
  if (!inflater_) {
    if (!share_.grow(Inflater::kBytes)) return refuse(429, kTooManyBodies);
    inflater_ = std::make_unique<Inflater>(*format_);
  }
  // A refusal within add() must not destroy the inflater that is running.
  bool fits = true;
  bool afford = true;
  const bool sound = inflater_->add(content, [&](std::string_view piece) {
    fits = piece.size() <= limit_ - body_.size();
    afford = fits && share_.grow(piece.size());
    if (afford) body_.append(piece);
    return afford;
  });
  if (!fits) return refuse(413, too_long(limit_));
  if (!afford) return refuse(429, kTooManyBodies);
  return sound || refuse(400, "the compressed body is damaged");
}

bool BodyReader::store(std::string_view piece) {
  if (!share_.grow(piece.size())) return refuse(429, kTooManyBodies);
  body_.append(piece);
  return true;
}

void BodyReader::finish() {
  if (format_ && inflater_) {
    if (!inflater_->complete()) {
      refuse(400, "the compressed body ends early");
      return;
    }
    inflater_.reset();
    share_.shrink(Inflater::kBytes);
  }
  done_ = true;
}

}  // namespace attrib::http
