#include <doctest/doctest.h>

#include "base/test_folder.h"
#include "evidence/read.h"

namespace attrib::evidence {
namespace {

TEST_CASE("a log spec says kind, owner and path") {
  const auto spec = [](const char* text) { return parse_log_spec(text).value(); };
  CHECK(spec("kernel@node-07=dmesg.txt").node == "node-07");
  CHECK(spec("kernel@node-07=dmesg.txt").path == "dmesg.txt");
  CHECK(spec("app@rank3=rank3.log").rank == 3U);
  CHECK(spec("app@rank3=rank3.log").node.empty());
  CHECK(spec("app@node-07/rank3=a=b").node == "node-07");
  CHECK(spec("app@node-07/rank3=a=b").path == "a=b");
  CHECK(spec("app@ranker=x").node == "ranker");
  CHECK(spec("slurm=job.out").kind == model::SourceKind::Slurm);
}

TEST_CASE("a wrong log spec says how one is written") {
  CHECK(
      parse_log_spec("job.out").error().message ==
      "`job.out`: no `=`; expected KIND[@NODE | @rankN]=PATH, such as `kernel@node-07=dmesg.txt`");
  CHECK(parse_log_spec("dmesg@a=b").error().message ==
        "`dmesg@a=b`: `dmesg` is not a source kind; expected KIND[@NODE | @rankN]=PATH, such as "
        "`kernel@node-07=dmesg.txt`");
  CHECK_FALSE(parse_log_spec("app@=x").ok());
  CHECK_FALSE(parse_log_spec("app=").ok());
}

TEST_CASE("directories are read with all below them, by name, and globs too") {
  const TestFolder folder;
  folder.write("logs/b.log", "b");
  folder.write("logs/a.log", "a");
  folder.write("logs/deep/c.txt", "c");
  const auto names = [](const Result<std::vector<Input>>& inputs) {
    std::string out;
    for (const Input& each : inputs.value()) {
      const auto source = each.open();
      out += read_all(source.value().get(), 100, each.name).value() + (each.log ? "L" : "");
    }
    return out;
  };
  CHECK(names(load_logs(parse_log_spec("app=" + (folder / "logs")).value())) == "aLbLcL");
  CHECK(names(load_logs(parse_log_spec("app=" + (folder / "logs/*.log")).value())) == "aLbL");
  CHECK(load_logs(parse_log_spec("app=" + (folder / "logs/*.gz")).value()).error().message ==
        (folder / "logs/*.gz") + ": no such file");
  CHECK(load_input((folder / "none")).error().message ==
        (folder / "none") + ": No such file or directory");
}

}  // namespace
}  // namespace attrib::evidence
