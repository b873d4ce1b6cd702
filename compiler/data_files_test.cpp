#include "compiler/data_files.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace attrib::compiler {
namespace {
namespace fs = std::filesystem;

struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "attrib-data-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Folder() { fs::remove_all(path); }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((path / name).parent_path());
    std::ofstream(path / name) << text;
  }
};

TEST_CASE("a data file is looked up beside the rule, then in each folder") {
  const Folder folder;
  folder.write("rules/a.csv", "beside");
  folder.write("one/b.csv", "one");
  folder.write("two/b.csv", "two");
  folder.write("two/a.csv", "far");
  const DiskData data({(folder.path / "one").string(), (folder.path / "two").string()});
  const std::string rule = (folder.path / "rules/r.rules").string();
  CHECK(data.read("a.csv", rule)->bytes == "beside");
  CHECK(data.read("b.csv", rule)->bytes == "one");
  CHECK(data.read("b.csv", rule)->shown_path == (folder.path / "one/b.csv").string());
  CHECK(!data.read("c.csv", rule));
}

TEST_CASE("a data file does not lead out of its folders") {
  const Folder folder;
  folder.write("secret.csv", "x");
  folder.write("rules/r.rules", "");
  const DiskData data({(folder.path / "rules").string()});
  const std::string rule = (folder.path / "rules/r.rules").string();
  CHECK(!data.read("../secret.csv", rule));
  CHECK(!data.read((folder.path / "secret.csv").string(), rule));
  CHECK(!data.read("", rule));
  CHECK(!data.read(".", rule));
}

}  // namespace
}  // namespace attrib::compiler
