#pragma once

// Reads one body as its bytes arrive: takes the chunks apart, decompresses, and counts. It never holds more than
// `limit` bytes of it, and never more than the shared budget lets it.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/budget.h"
#include "http/chunked.h"
#include "http/framing.h"
#include "http/inflate.h"
#include "http/refusal.h"

namespace attrib::http {

class BodyReader {
 public:
  // `encoding` is the value of Content-Encoding. Look at refusal() before the first byte: what is declared may be too
  // much already.
  BodyReader(const Framing& framing, std::string_view encoding, std::size_t limit, std::shared_ptr<Budget> budget);

  // Takes what belongs to the body from the front of `bytes` and says how much that was.
  std::size_t read(std::string_view bytes);
  [[nodiscard]] bool done() const { return done_; }
  [[nodiscard]] const std::optional<Refusal>& refusal() const { return refusal_; }

  // Once done.
  std::string take_body() { return std::move(body_); }
  BudgetShare take_share() { return std::move(share_); }

 private:
  std::size_t read_chunked(std::string_view bytes);
  bool add(std::string_view content);  // As on the wire, without chunk framing.
  bool store(std::string_view piece);  // As the handler gets it.
  void finish();
  bool refuse(unsigned status, const std::string& detail);

  std::size_t limit_;
  std::size_t left_ = 0;  // Of a body with Content-Length.
  std::size_t wire_ = 0;  // Content bytes taken so far.
  std::optional<ChunkReader> chunks_;
  std::optional<Inflater::Format> format_;
  std::unique_ptr<Inflater> inflater_;
  BudgetShare share_;
  std::string body_;
  bool done_ = false;
  std::optional<Refusal> refusal_;
};

}  // namespace attrib::http
