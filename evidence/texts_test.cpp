#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "evidence/id_list.h"
#include "evidence/shared_text.h"
#include "evidence/text_map.h"

namespace attrib::evidence {
namespace {

using Texts = std::vector<std::string>;

TEST_CASE("a shared text is the text it was made of, in every copy") {
  SharedText a("train.log");
  const SharedText b = a;
  CHECK(a.view().data() == b.view().data());
  a = "other";
  CHECK(a == "other");
  CHECK(b == "train.log");
  CHECK(b == SharedText(std::string("train.log")));
  CHECK((a < b) == (std::string("other") < std::string("train.log")));
  SharedText c = std::move(a);
  c = SharedText();
  CHECK(c.empty());
  CHECK(c == "");
  CHECK(SharedText("") == c);
}

TEST_CASE("the id of a line is its file and number") {
  const IdList line = IdList::of_line("train.log", 12);
  CHECK(line.list() == Texts{"train.log:12"});
  CHECK(line == IdList{"train.log:12"});
  CHECK(line.hash_of_first() == IdList{"train.log:12"}.hash_of_first());
  CHECK_FALSE(line == IdList::of_line("train.log", 1));
  CHECK_FALSE(line == IdList::of_line("rain.log", 12));
  CHECK(IdList::of_line("a:1", 2) == IdList{"a:1:2"});
  CHECK_FALSE(IdList::of_line("a:1", 2) == IdList::of_line("a", 12));
  CHECK(IdList::of_line("", 3).front() == ":3");
  // By their texts, not by their numbers.
  CHECK(IdList::of_line("f", 10) < IdList::of_line("f", 9));
}

TEST_CASE("ids are kept in the order in which they come, none to many") {
  IdList ids;
  CHECK(ids.empty());
  CHECK(ids.list().empty());
  ids.push_back("b");
  CHECK(ids.size() == 1);
  ids.push_back("a");
  CHECK(ids.list() == Texts{"b", "a"});
  const IdList copy = ids;
  ids.clear();
  CHECK(ids.empty());
  CHECK(Texts(copy.begin(), copy.end()) == Texts{"b", "a"});
  CHECK(copy.at(1) == "a");
  CHECK_THROWS(copy.at(2));
  CHECK(IdList{"a"} < copy);
  CHECK(IdList() < IdList{"a"});
}

TEST_CASE("a map that is empty takes no memory of its own and is as any other") {
  TextMap map;
  CHECK(map.empty());
  CHECK(map.begin() == map.end());
  CHECK(map.find("a") == map.end());
  CHECK(map == TextMap(TextMap::Map{}));
  map.emplace("a", "1");
  map.emplace("a", "2");
  CHECK(map.at("a") == "1");
  const TextMap copy = map;
  map.merge({{"a", "3"}, {"b", "4"}});
  CHECK(map.get().size() == 2);
  CHECK(copy < map);
  CHECK_FALSE(copy == map);
  CHECK(map.at("a") == "1");
}

}  // namespace
}  // namespace attrib::evidence
