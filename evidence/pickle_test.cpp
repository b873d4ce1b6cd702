#include <doctest/doctest.h>

#include <string>

#include "evidence/plain_data.h"

namespace attrib::evidence {
namespace {

using namespace std::string_literals;
using Kind = PlainValue::Kind;

std::string refusal(const std::string& bytes) {
  const auto read = read_pickle(bytes);
  return read.ok() ? "" : read.error().message;
}

// The texts of what is read lie in `bytes`.
PlainData must_read_pickle(const std::string& bytes) {
  auto read = read_pickle(bytes);
  REQUIRE_MESSAGE(read.ok(), (read.ok() ? "" : read.error().message));
  return std::move(read).value();
}

std::int64_t integer(const std::string& bytes) {
  const PlainData data = must_read_pickle("\x80\x02"s + bytes + ".");
  REQUIRE(data.at(data.root).kind == Kind::Integer);
  return data.at(data.root).number;
}

TEST_CASE("integers of all lengths are read with their signs") {
  CHECK(integer("K\xff"s) == 255);
  CHECK(integer("M\xff\xff"s) == 65535);
  CHECK(integer("J\xff\xff\xff\xff"s) == -1);
  CHECK(integer("\x8a\x00"s) == 0);
  CHECK(integer("\x8a\x01\xff"s) == -1);
  CHECK(integer("\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f"s) == INT64_MAX);
  CHECK(integer("\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80"s) == INT64_MIN);
  CHECK(integer("\x8b\x02\x00\x00\x00\x00\x80"s) == -32768);
  CHECK(refusal("\x80\x02\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01."s) ==
        "byte 2: opcode LONG1 has 9 bytes, at most 8 are read");
}

TEST_CASE("texts, lists, tuples and dictionaries are read in the forms of protocols 2 and 4") {
  // {"a": [1, (True, None)], "b": "x"}, the list filled after it was kept.
  const std::string filled =
      "\x80\x02}q\x00(X\x01\x00\x00\x00"s
      "a]q\x01(K\x01\x88N\x86"s
      "eX\x01\x00\x00\x00"s
      "bX\x01\x00\x00\x00"s
      "xu."s;
  const PlainData two = must_read_pickle(filled);
  const PlainValue& root = two.at(two.root);
  REQUIRE(two.find(root, "a") != nullptr);
  REQUIRE(two.find(root, "a")->items.size() == 2);
  CHECK(two.at(two.find(root, "a")->items[1]).items.size() == 2);
  CHECK(two.find(root, "b")->text == "x");
  CHECK(two.find(root, "c") == nullptr);
  const std::string framed =
      "\x80\x04\x95\x0a\x00\x00\x00\x00\x00\x00\x00}\x94\x8c\x01k\x94G\x3f\xf0\x00\x00\x00\x00\x00\x00s."s;
  const PlainData four = must_read_pickle(framed);
  CHECK(four.find(four.at(four.root), "k")->kind == Kind::Real);
}

TEST_CASE("what would import, call or build an object is refused by name and byte") {
  CHECK(refusal("\x80\x02"s
                "cos\nsystem\nX\x02\x00\x00\x00ls\x85R."s) ==
        "byte 2: opcode GLOBAL imports an object; only plain data is read");
  CHECK(refusal("\x80\x04\x8c\x02os\x8c\x06system\x93."s) ==
        "byte 14: opcode STACK_GLOBAL imports an object; only plain data is read");
  CHECK(refusal("\x80\x02K\x01K\x02R."s) ==
        "byte 6: opcode REDUCE calls what was imported; only plain data is read");
  CHECK(refusal("\x80\x02}}b."s) ==
        "byte 4: opcode BUILD fills an object; only plain data is read");
  CHECK(refusal("\x80\x02(ios\nsystem\n."s) ==
        "byte 3: opcode INST calls what was imported; only plain data is read");
  CHECK(refusal("\x80\x02K\x01Q."s) ==
        "byte 4: opcode BINPERSID asks for an object that is kept elsewhere; only plain data is "
        "read");
  CHECK(refusal("\x80\x05\x97."s) ==
        "byte 2: opcode NEXT_BUFFER asks for a buffer that is kept elsewhere; only plain data is "
        "read");
  CHECK(refusal("\x80\x02I7\n."s) ==
        "byte 2: opcode INT belongs to the printed form of protocol 0; only plain data is read");
  CHECK(refusal("\x80\x02U\x01x."s) ==
        "byte 2: opcode SHORT_BINSTRING holds raw bytes; only plain data is read");
  CHECK(refusal("\x80\x04\x8f."s) ==
        "byte 2: opcode EMPTY_SET has no place in plain data; only plain data is read");
  CHECK(refusal("\x80\x02\xfe."s) == "byte 2: 0xfe is no opcode");
}

TEST_CASE("torn and tangled pickles are refused") {
  CHECK(refusal("\x80\x02K"s) == "byte 2: opcode BININT1 is cut short");
  CHECK(refusal("\x80\x02X\xff\x00\x00\x00x"s) == "byte 2: opcode BINUNICODE is cut short");
  CHECK(refusal("\x80\x02G\x00."s) == "byte 2: opcode BINFLOAT is cut short");
  CHECK(refusal("\x80\x04\x95\xff\x00\x00\x00\x00\x00\x00\x00N."s) ==
        "byte 2: opcode FRAME is cut short");
  CHECK(refusal("\x80\x02}"s) == "byte 3: the data ends before its STOP");
  CHECK(refusal("\x80\x02N.N"s) == "byte 4: data behind the end of the pickle");
  CHECK(refusal("\x80\x09N."s) == "byte 0: opcode PROTO announces protocol 9");
  CHECK(refusal("\x80\x02NN."s) == "byte 4: opcode STOP does not leave one value");
  CHECK(refusal("\x80\x02(N."s) == "byte 4: opcode STOP does not leave one value");
  CHECK(refusal("\x80\x02h\x07."s) == "byte 2: opcode BINGET asks for 7, which was not kept");
  CHECK(refusal("\x80\x02q\x07."s) == "byte 2: opcode BINPUT finds no value to keep");
  CHECK(refusal("\x80\x02u."s) == "byte 2: opcode SETITEMS finds no mark");
  CHECK(refusal("\x80\x02N\x86."s) == "byte 3: opcode TUPLE2 finds too few values");
  CHECK(refusal("\x80\x02NNa."s) == "byte 4: opcode APPEND finds nothing to fill");
  CHECK(refusal("\x80\x02}(Nu."s) == "byte 5: opcode SETITEMS has a key without a value");
}

TEST_CASE("a list may hold itself and nothing loops") {
  const PlainData data = must_read_pickle(
      "\x80\x02]q\x00h\x00"s
      "a."s);
  CHECK(data.at(data.root).items == std::vector<std::uint32_t>{data.root});
}

TEST_CASE("depth is bounded in whichever way it is made") {
  const auto nested = [](std::size_t depth) {
    std::string bytes = "\x80\x02"s;
    for (std::size_t i = 1; i < depth; ++i) bytes += "](";
    bytes += "]";
    for (std::size_t i = 1; i < depth; ++i) bytes += "e";
    return bytes + ".";
  };
  CHECK(refusal(nested(kMaxPlainDepth)) == "");
  CHECK(refusal(nested(kMaxPlainDepth + 1)) == "byte 194: opcode APPENDS nests deeper than 64");
  CHECK(refusal(nested(kMaxPlainDepth + 2)) == "byte 131: opcode MARK nests deeper than 64");
  const auto tuples = [](std::size_t depth) {
    return "\x80\x02N"s + std::string(depth - 1, '\x85') + ".";
  };
  CHECK(refusal(tuples(kMaxPlainDepth)) == "");
  CHECK(refusal(tuples(kMaxPlainDepth + 1)) == "byte 66: opcode TUPLE1 nests deeper than 64");
}

TEST_CASE("the number of values is bounded, and that of items that share them") {
  CHECK(refusal("\x80\x02]("s + std::string(kMaxPlainValues - 1, 'N') + "e.") == "");
  CHECK(refusal("\x80\x02]("s + std::string(kMaxPlainValues, 'N') + "e.") ==
        "byte 4194307: opcode NONE makes more than 4194304 values");
  // Each list holds the one before it a million times: little to read, much to walk.
  std::string bytes = "\x80\x02N"s;
  for (int level = 0; level < 6; ++level) {
    const auto key = static_cast<char>(level);
    bytes += "q"s + key + "](";
    for (int i = 0; i < 1'000'000; ++i) bytes += "h"s + key;
    bytes += "e\x86"s;
  }
  CHECK(refusal(bytes + ".").find("makes more than 4194304 items") != std::string::npos);
}

TEST_CASE("JSON becomes the same plain data") {
  const auto read = read_plain_json(R"({"a": [1, null, true, 2.5], "a": {"b": "x"}})");
  CHECK_FALSE(read.ok());  // A name twice.
  const auto good = read_plain_json(R"({"a": [1, null, true, 2.5], "b": "x"})");
  REQUIRE(good.ok());
  const PlainData& data = good.value();
  const PlainValue* list = data.find(data.at(data.root), "a");
  REQUIRE(list != nullptr);
  CHECK(data.at(list->items[0]).number == 1);
  CHECK(data.at(list->items[1]).kind == Kind::Nothing);
  CHECK(data.at(list->items[2]).kind == Kind::Truth);
  CHECK(data.at(list->items[3]).kind == Kind::Real);
  CHECK(read_plain_json("{\"a\": [").error().message == "byte 7: the JSON ends too early");
  CHECK(read_plain_json(std::string(65, '[') + std::string(65, ']')).error().message ==
        "nested 65 deep: expected at most 64");
}

}  // namespace
}  // namespace attrib::evidence
