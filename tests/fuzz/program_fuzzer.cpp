// Program bytes, which are hostile input: whatever decodes and verifies must run to its end within
// its budget.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "program/codec.h"
#include "program/disassemble.h"
#include "program/verify.h"
#include "tests/fuzz/sample.h"

namespace attrib::fuzz {
namespace {

void run_program(std::string_view bytes) {
  // As it is, and with digests that fit: no random change would ever get past those.
  (void)program::decode(bytes);
  auto decoded = program::decode(program::with_repaired_digests(std::string(bytes)));
  if (!decoded.ok()) return;
  const std::string encoded = program::encode(decoded.value());
  auto again = program::decode(encoded);
  ATTRIB_CHECK(again.ok(), "an encoded program does not decode");
  ATTRIB_CHECK(program::encode(again.value()) == encoded, "a program is not its own bytes");
  (void)program::disassemble(again.value());
  const auto verified = program::verify(std::move(decoded).value());
  if (verified.ok()) run_and_print(verified.value(), sample_evidence());
}

}  // namespace
}  // namespace attrib::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  attrib::fuzz::run_program({reinterpret_cast<const char*>(data), size});
  return 0;
}
