#include "program/codec.h"

#include <doctest/doctest.h>

#include "program/container.h"
#include "program/test_program.h"
#include "program/verify.h"

namespace attrib::program {
namespace {

std::string message(const std::string& bytes) {
  const auto program = decode(bytes);
  return program.ok() ? "" : program.error().message;
}

// Decodes and, where that works, verifies.
bool survives(const std::string& bytes) {
  auto program = decode(bytes);
  return program.ok() && verify(std::move(program).value()).ok();
}

void poke(std::string& bytes, std::size_t at, std::uint64_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i) & 0xff);
}
std::uint64_t peek(const std::string& bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  }
  return value;
}
// Where section `kind` begins in the file.
std::size_t section_at(const std::string& bytes, std::size_t kind) {
  return peek(bytes, 32 + 32 * (kind - 1) + 8);
}

TEST_CASE("what was written is read back, byte for byte") {
  const std::string bytes = encode(test_program());
  const auto program = decode(bytes);
  REQUIRE(program.ok());
  CHECK(encode(program.value()) == bytes);
  CHECK(program.value().symptoms[1].blame == model::Blame::Self);
  CHECK_FALSE(program.value().symptoms[0].blame.has_value());
  CHECK(program.value().tables[0].rows[3].keys[0].mask == 0xffffff00);
  CHECK(program.value().tables[0].rows[3].place == "codes.csv:2");
  CHECK(program.value().rules[3].params[0].value == model::duration_constant(model::kMinute));
  CHECK(program.value().code == test_program().code);
  CHECK(program.value().places == test_program().places);
  CHECK(program.value().sources[0].text == test_program().sources[0].text);
}

TEST_CASE("a saved program is known by the digest it had before it was saved") {
  const Program program = test_program();
  std::string name;
  REQUIRE(decode(encode(program), &name).ok());
  CHECK(name == digest(program));
  const auto loaded = load(encode(program));
  REQUIRE(loaded.ok());
  CHECK(loaded.value().digest() == digest(program));
}

TEST_CASE("an empty program is a program") {
  const auto program = decode(encode(Program{}));
  REQUIRE(program.ok());
  CHECK(verify(program.value()).ok());
}

TEST_CASE("sections are aligned and the file says its size") {
  const std::string bytes = encode(test_program());
  CHECK(bytes.size() % 8 == 0);
  CHECK(peek(bytes, 24) == bytes.size());
  for (std::size_t kind = 1; kind <= kSections; ++kind) CHECK(section_at(bytes, kind) % 8 == 0);
}

TEST_CASE("a program cut off anywhere is refused") {
  const std::string bytes = encode(test_program());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CAPTURE(size);
    CHECK(message(bytes.substr(0, size)) != "");
  }
  CHECK(message("") == "not a program: byte 0 does not start the mark of an .rbc file");
  CHECK(message(bytes.substr(0, 20)) == "header, byte 20: the file ends in the header");
  CHECK(message(bytes.substr(0, bytes.size() - 8)) ==
        "header, byte 24: the file should have " + std::to_string(bytes.size()) +
            " bytes and has " + std::to_string(bytes.size() - 8));
  CHECK(message(bytes + '\0') != "");
}

TEST_CASE("a flipped bit anywhere is noticed") {
  const std::string bytes = encode(test_program());
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    if (message(damaged).empty()) FAIL("bit ", bit, " of byte ", bit / 8);
  }
}

TEST_CASE("a flipped bit under a right digest gives a refusal or a program, never a crash") {
  const std::string bytes = encode(test_program());
  CHECK(survives(with_repaired_digests(bytes)));
  std::size_t tried = 0, refused = 0;
  // 7 shares no factor with 8: every place in a byte comes up.
  for (std::size_t bit = 0; bit < 8 * bytes.size(); bit += 7) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    ++tried;
    if (!survives(with_repaired_digests(damaged))) ++refused;
  }
  // Names, texts and numbers may change unnoticed; structure may not.
  CHECK(refused > tried / 4);
}

TEST_CASE("a program cut off under right digests gives a refusal") {
  const std::string bytes = encode(test_program());
  for (std::size_t size = 32; size < bytes.size(); ++size) {
    std::string damaged = bytes.substr(0, size);
    poke(damaged, 24, size, 8);
    if (survives(with_repaired_digests(damaged))) FAIL("cut off at byte ", size);
  }
}

TEST_CASE("other files and versions are refused by name") {
  const std::string bytes = encode(test_program());
  CHECK(message("#!/bin/sh\n") == "not a program: byte 0 does not start the mark of an .rbc file");
  std::string newer = bytes;
  poke(newer, 8, 7, 2);
  poke(newer, 14, 6, 2);
  CHECK(message(with_repaired_digests(newer)) ==
        "header, byte 14: container version 7 needs a reader of version 6, this one is 5");
  std::string other = bytes;
  poke(other, 10, 2, 2);
  poke(other, 12, 5, 2);
  CHECK(message(with_repaired_digests(other)) ==
        "header, byte 10: instruction set 2.5, this reader has 1.1");
}

TEST_CASE("a newer container that this reader is told to be able to read is read") {
  std::string bytes = encode(test_program());
  poke(bytes, 8, 6, 2);
  CHECK(message(with_repaired_digests(bytes)) == "");
}

TEST_CASE("the digest that does not fit is named") {
  std::string bytes = encode(test_program());
  bytes[section_at(bytes, 7) + 5] ^= 1;
  CHECK(message(bytes).ends_with("section `code` does not fit its digest"));
}

TEST_CASE("sections neither overlap nor leave the file") {
  const std::string bytes = encode(test_program());
  const std::size_t entry = 32 + 32 * 3;  // patterns
  std::string moved = bytes;
  poke(moved, entry + 8, peek(bytes, entry + 8) - 8, 8);
  CHECK(message(with_repaired_digests(moved))
            .starts_with("section table, byte 128: section at byte "));
  std::string longer = bytes;
  poke(longer, entry + 16, 0xffffffffffffffff, 8);
  CHECK(message(with_repaired_digests(longer)) ==
        "section table, byte 128: section passes the end of the file");
  std::string unknown = bytes;
  poke(unknown, 32 + 32 * 10, 99, 4);
  CHECK(message(with_repaired_digests(unknown)) ==
        "section table, byte 352: unknown section kind 99");
}

TEST_CASE("a program of an older container is refused by name") {
  std::string bytes = encode(test_program());
  poke(bytes, 8, 2, 2);
  CHECK(message(with_repaired_digests(bytes)) ==
        "header, byte 8: container version 2, the oldest this reader knows is 5");
}

// What a run reads of the file.
std::string beginning(const std::string& bytes) {
  return bytes.substr(0, bytes_for_runs(bytes.substr(0, kHeadBytes), bytes.size()));
}
std::string refused_for_runs(const std::string& bytes) {
  const auto program = load_for_runs(beginning(bytes), bytes.size());
  return program.ok() ? "" : program.error().message;
}

TEST_CASE("a run needs the beginning of the file, and knows the program by the same digest") {
  const std::string bytes = encode(test_program());
  const std::string first = beginning(bytes);
  CHECK(first.size() == section_at(bytes, static_cast<std::size_t>(Section::Spans)));
  const auto loaded = load_for_runs(first, bytes.size());
  REQUIRE(loaded.ok());
  CHECK(loaded.value().digest() == digest(test_program()));
  const Program& program = *loaded.value();
  CHECK(program.code == test_program().code);
  CHECK(program.tables[0].rows[3].place == "codes.csv:2");
  CHECK(program.extracts[0].alternatives[0].literals ==
        test_program().extracts[0].alternatives[0].literals);
  CHECK_FALSE(program.extracts[0].alternatives[0].any_case);
  CHECK(program.sources.empty());
  CHECK(program.places.empty());
  // All of it does as well.
  CHECK(load_for_runs(bytes, bytes.size()).ok());
}

TEST_CASE("what a run reads is refused when it is damaged, what it does not read is not") {
  const std::string bytes = encode(test_program());
  const std::size_t first = beginning(bytes).size();
  for (std::size_t bit = 0; bit < 8 * bytes.size(); bit += 3) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    if (refused_for_runs(damaged).empty() != (bit / 8 >= first)) FAIL("bit ", bit);
  }
  for (std::size_t size = 0; size < first; ++size) {
    CHECK_FALSE(load_for_runs(bytes.substr(0, size), size).ok());
    CHECK_FALSE(load_for_runs(bytes.substr(0, size), bytes.size()).ok());
  }
}

TEST_CASE("damage under right digests is refused for a run as it is for all, or runs as well") {
  const std::string bytes = encode(test_program());
  const std::size_t first = beginning(bytes).size();
  for (std::size_t bit = 0; bit < 8 * first; bit += 7) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    damaged = with_repaired_digests(damaged);
    // Spans know how many rules there are; what all refuse for them only, a run may take.
    if (survives(damaged) && !refused_for_runs(damaged).empty()) FAIL("bit ", bit);
  }
}

TEST_CASE("a count that the bytes cannot hold is refused before anything is made of it") {
  std::string bytes = encode(test_program());
  const std::size_t types = section_at(bytes, 3);
  poke(bytes, types, 0xffffffff, 4);
  CHECK(message(with_repaired_digests(bytes)) ==
        "section `types`, byte " + std::to_string(types + 4) +
            ": a list of 4294967295 elements in " +
            std::to_string(peek(bytes, 32 + 32 * 2 + 16) - 4) + " bytes");
  std::string strings = encode(test_program());
  poke(strings, section_at(strings, 2), 0x10000000, 4);
  CHECK(message(with_repaired_digests(strings)).find("268435456 strings in ") != std::string::npos);
}

TEST_CASE("an enumerator out of range is refused with its byte") {
  std::string bytes = encode(test_program());
  // The first event: name, pack, then the kind of its entity.
  const std::size_t at = section_at(bytes, 3) + 4 + 4 + 4;
  bytes[at] = 17;
  CHECK(message(with_repaired_digests(bytes)) ==
        "section `types`, byte " + std::to_string(at) + ": enumerator 17 is not below 17");
}

TEST_CASE("many references to one long text do not fill the memory") {
  Program program;
  program.texts.assign(2'000, std::string(20'000, 'x'));
  const std::string bytes = encode(program);
  CHECK(bytes.size() < 40'000);
  CHECK(message(bytes).find("texts grow past the file's share") != std::string::npos);
}

TEST_CASE("the digest is of what a program means, not of where it was written") {
  const Program program = test_program();
  Program moved = program;
  moved.places[0].line = 7;
  moved.rules[0].place.column = 9;
  moved.sources[0].text += "# a comment";
  moved.tables[0].rows[0].place = "elsewhere.csv:1";
  moved.tests_digest = "other";
  CHECK(digest(moved) == digest(program));
  CHECK(encode(moved) != encode(program));
  CHECK(digest(program).starts_with("sha256:"));
  CHECK(digest(program).size() == 7 + 64);
  Program other = program;
  other.rules[3].because = "another reason";
  CHECK(digest(other) != digest(program));
}

}  // namespace
}  // namespace attrib::program
