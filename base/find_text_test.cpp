#include "base/find_text.h"

#include <doctest/doctest.h>

#include <memory>
#include <random>
#include <string>

namespace attrib {

TEST_CASE("a text is found where std finds it, in texts of all lengths, without a look past their ends") {
  std::mt19937 random(7);
  for (int round = 0; round < 20'000; ++round) {
    const std::size_t size = random() % 90;
    const std::unique_ptr<char[]> bytes(new char[size]);  // Of just this size, for the address sanitizer.
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>("abb\xFF"[random() % 4]);
    const std::string_view text(bytes.get(), size);
    std::string wanted;
    for (std::size_t i = random() % 6; i > 0; --i) wanted += "abb\xFF"[random() % 4];
    for (const std::size_t from : {std::size_t{0}, std::size_t{1}, size / 2, size, size + 3})
      REQUIRE(find_text(text, wanted, from) == text.find(wanted, from));
  }
}

}  // namespace attrib
