#include "compiler/data_files.h"

#include <doctest/doctest.h>

#include "base/test_folder.h"

namespace attrib::compiler {
namespace {

TEST_CASE("a data file is looked up beside the rule, then in each folder") {
  const TestFolder folder;
  folder.write("rules/a.csv", "beside");
  folder.write("one/b.csv", "one");
  folder.write("two/b.csv", "two");
  folder.write("two/a.csv", "far");
  const DiskData data({folder / "one", folder / "two"});
  const std::string rule = folder / "rules/r.rules";
  CHECK(data.read("a.csv", rule)->bytes == "beside");
  CHECK(data.read("b.csv", rule)->bytes == "one");
  CHECK(data.read("b.csv", rule)->shown_path == folder / "one/b.csv");
  CHECK(!data.read("c.csv", rule));
}

TEST_CASE("a data file does not lead out of its folders") {
  const TestFolder folder;
  folder.write("secret.csv", "x");
  folder.write("rules/r.rules", "");
  const DiskData data({folder / "rules"});
  const std::string rule = folder / "rules/r.rules";
  CHECK(!data.read("../secret.csv", rule));
  CHECK(!data.read(folder / "secret.csv", rule));
  CHECK(!data.read("", rule));
  CHECK(!data.read(".", rule));
}

}  // namespace
}  // namespace attrib::compiler
