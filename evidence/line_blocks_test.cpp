#include "evidence/line_blocks.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

namespace attrib::evidence {
namespace {

// Hands out so many bytes at a time.
class Slow : public ByteSource {
 public:
  Slow(std::string_view text, std::size_t chunk) : from_(memory_source(text)), chunk_(chunk) {}
  Result<std::size_t> read(char* into, std::size_t most) override {
    return from_->read(into, std::min(most, chunk_));
  }

 private:
  std::unique_ptr<ByteSource> from_;
  std::size_t chunk_;
};

TEST_CASE("blocks are whole lines, together the text, however the bytes arrive") {
  std::string text;
  for (int i = 0; text.size() < 3 * LineBlocks::kBlockBytes; ++i)
    text += std::string(i % 500 == 499 ? 600'000U : static_cast<std::size_t>(i % 200), 'x') + "\n";
  text += "no line end";
  for (const std::size_t chunk : {1000UL, 4096UL, 1UL << 20U}) {
    for (const std::size_t head : {std::size_t{0}, std::size_t{777}}) {
      Slow source(std::string_view(text).substr(head), chunk);
      LineBlocks blocks(text.substr(0, head), &source, "x");
      std::string all;
      while (true) {
        const auto block = blocks.next();
        REQUIRE(block.ok());
        if (block.value().empty()) break;
        all += block.value();
        CHECK((all.size() == text.size() || all.ends_with('\n')));
      }
      CHECK(all == text);
    }
  }
  LineBlocks none("", nullptr, "x");
  CHECK(none.next().value().empty());
}

}  // namespace
}  // namespace attrib::evidence
