#include "service/settings.h"

#include <doctest/doctest.h>

#include <set>

#include "base/test_folder.h"

namespace attrib::service {
namespace {

class File {
 public:
  explicit File(const std::string& text) : path_(folder_.write("attribd.toml", text)) {}
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  TestFolder folder_;
  std::string path_;
};

std::string refusal(const std::string& text) {
  const File file(text);
  Settings settings;
  const Status status = settings.read_file(file.path());
  return status.ok() ? "accepted" : status.error().message.substr(file.path().size());
}

std::string variable_refusal(const std::string& variable) {
  Settings settings;
  const Status status = settings.read_environment(std::vector{variable});
  return status.ok() ? "accepted" : status.error().message;
}

TEST_CASE("a flag wins over the environment, that over the file, that over the default") {
  const File file("[limits]\nbody = \"1MiB\"\nconnections = 7\nsessions = 8\n");
  Settings settings;
  REQUIRE(settings.read_file(file.path()).ok());
  REQUIRE(settings
              .read_environment(std::vector<std::string>{"ATTRIBD_LIMITS_BODY=2MiB", "OTHER=1",
                                                         "ATTRIBD_LIMITS_CONNECTIONS=9"})
              .ok());
  REQUIRE(settings.set_flag(Setting::BodyBytes, {"3MiB"}).ok());
  CHECK(settings.number(Setting::BodyBytes) == 3U << 20U);
  CHECK(settings.number(Setting::Connections) == 9);
  CHECK(settings.number(Setting::Sessions) == 8);
  CHECK(settings.number(Setting::Requests) == 20'000);
  const std::string printed = settings.print();
  CHECK(printed.find("\nbody = \"3MiB\"  # --limits-body\n") != std::string::npos);
  CHECK(printed.find("\nconnections = 9  # ATTRIBD_LIMITS_CONNECTIONS\n") != std::string::npos);
  CHECK(printed.find("\nsessions = 8  # " + file.path() + ":4\n") != std::string::npos);
  CHECK(printed.find("\nrequests = 20000  # default\n") != std::string::npos);
  CHECK(printed.find("\n# tokens = \"\"  # not set\n") != std::string::npos);
}

TEST_CASE(
    "every setting can be given in all three ways, and what is printed gives the same settings") {
  std::set<std::string> flags;
  for (const SettingInfo& row : setting_table()) {
    CAPTURE(row.path);
    std::string text;
    switch (row.kind) {
      case SettingKind::Path:
        text = "/x/y \"z\"";
        break;
      case SettingKind::List:
        text = "[::1]:0,localhost:80";
        break;
      case SettingKind::Table:
        text = "slow=/s.rbc";
        break;
      case SettingKind::Word:
        text = row.words.substr(row.words.rfind(',') + 1);
        break;
      default:
        text = row.most;
    }
    Settings flag, variable, file;
    REQUIRE(flag.set_flag(row.id, {text}).ok());
    REQUIRE(variable.read_environment(std::vector{row.variable() + "=" + text}).ok());
    CHECK(variable.unknown_variables().empty());
    const File printed(flag.print());
    const Status read = file.read_file(printed.path());
    if (!read.ok()) FAIL(read.error().message);
    for (const Settings* each : {&variable, &file}) {
      CHECK(each->text(row.id) == flag.text(row.id));
      CHECK(each->number(row.id) == flag.number(row.id));
      CHECK(each->list(row.id) == flag.list(row.id));
      CHECK(each->programs() == flag.programs());
    }
    CHECK(flags.insert(row.flag()).second);
    CHECK_FALSE(row.help.empty());
  }
}

TEST_CASE("paths of a file are taken from its folder, others as they are") {
  const File file(
      "program = \"a/../fleet.rbc\"\ndb = \"/var/x.db\"\n[rulesets]\nslow = \"slow.rbc\"\n");
  const std::string folder = std::filesystem::path(file.path()).parent_path().string();
  Settings settings;
  REQUIRE(settings.read_file(file.path()).ok());
  CHECK(settings.text(Setting::Program) == folder + "/fleet.rbc");
  CHECK(settings.text(Setting::Db) == "/var/x.db");
  CHECK(settings.programs() ==
        std::map<std::string, std::string>{{"default", folder + "/fleet.rbc"},
                                           {"slow", folder + "/slow.rbc"}});
  REQUIRE(settings.set_flag(Setting::Program, {"b.rbc"}).ok());
  CHECK(settings.text(Setting::Program) == "b.rbc");
}

TEST_CASE("a file is refused with the place and a hint") {
  CHECK(refusal("program = \n").starts_with(":1:"));
  CHECK(refusal("programm = \"a\"\n") ==
        ":1:1: no setting is named `programm`; did you mean `program`?");
  CHECK(refusal("[limits]\nbodi = 3\n") ==
        ":2:1: no setting is named `limits.bodi`; did you mean `limits.body`?");
  CHECK(refusal("[limits]\ndb = \"a\"\n") ==
        ":2:1: no setting is named `limits.db`; `db` stands at the top, before the first [table]");
  CHECK(refusal("certificate = \"a\"\n") ==
        ":1:1: no setting is named `certificate`; `tls.certificate` stands in [tls]");
  CHECK(refusal("[limit]\nbody = 1\n") ==
        ":1:2: no setting is named `limit`; did you mean `limits`?");
  CHECK(refusal("[zzzzzzzz]\n")
            .starts_with(":1:2: no setting is named `zzzzzzzz`; known are program, db,"));
  CHECK(refusal("limits = 3\n") == ":1:10: `limits` is an integer, expected a table [limits]");
  CHECK(refusal("[limits]\nbody = 1.5\n") ==
        ":2:8: `limits.body` is a decimal number, expected a string such as \"16MiB\", or an "
        "integer of bytes");
  CHECK(refusal("[limits]\nbody = \"16 megs\"\n") ==
        ":2:8: `limits.body` is `16 megs`, expected a size such as 16MiB");
  CHECK(refusal("[limits]\nbody = \"2GiB\"\n") ==
        ":2:8: `limits.body` is 2GiB, expected 1KiB to 1GiB");
  CHECK(refusal("[limits]\nbody = -1\n") ==
        ":2:8: `limits.body` is `-1`, expected a size such as 16MiB");
  CHECK(refusal("[limits]\nconnections = \"9\"\n") ==
        ":2:15: `limits.connections` is a string, expected an integer");
  CHECK(
      refusal("[timeouts]\nhead = 10\n") ==
      ":2:8: `timeouts.head` is an integer, expected a string such as \"30s\", \"12h\" or \"30d\"");
  CHECK(refusal("[timeouts]\nhead = \"10\"\n") ==
        ":2:8: `timeouts.head` is `10`, expected a duration such as 30s, 12h or 30d");
  CHECK(refusal("[log]\nlevel = \"warn\"\n") ==
        ":2:9: `log.level` is `warn`, expected one of debug, info, warning, error");
  CHECK(refusal("[log]\nlevel = \"debog\"\n").ends_with("did you mean `debug`?"));
  CHECK(refusal("db = \"\"\n") == ":1:6: `db` is empty, expected a path");
  CHECK(refusal("listen = \"a:1\"\n") ==
        ":1:10: `listen` is a string, expected an array such as [\"127.0.0.1:8000\"]");
  CHECK(refusal("listen = [3]\n") == ":1:10: `listen` has an integer, expected strings");
  CHECK(refusal("listen = []\n") ==
        ":1:10: `listen` is empty, expected an address such as 127.0.0.1:8000");
  CHECK(refusal("listen = [\"localhost\"]\n") ==
        ":1:10: `listen` `localhost` has no port; write HOST:PORT");
  CHECK(refusal("listen = [\"::1:80\"]\n").find("stands in brackets") != std::string::npos);
  CHECK(refusal("listen = [\"a:65536\"]\n").ends_with("has no port between 0 and 65535"));
  CHECK(refusal("listen = [\"a:1\", \"a:1\"]\n").ends_with("has `a:1` twice"));
  CHECK(refusal("rulesets = [\"a\"]\n") ==
        ":1:12: `rulesets` is an array, expected a table of paths: NAME = \"PATH\"");
  CHECK(refusal("[rulesets]\na = 3\n") ==
        ":2:5: the path of a ruleset is an integer, expected a string");
  CHECK(refusal("[rulesets]\n\"a b\" = \"x\"\n").find("names a ruleset `a b`") !=
        std::string::npos);
}

TEST_CASE("all mistakes of a file are told, not only the first") {
  const std::string said = refusal("dbb = 1\n[limits]\nbody = true\n[tls]\nkeys = \"x\"\n");
  CHECK(said.find(":1:1: ") != std::string::npos);
  CHECK(said.find(":3:8: ") != std::string::npos);
  CHECK(said.find(":5:1: ") != std::string::npos);
}

TEST_CASE("variables and flags are refused by their names") {
  CHECK(variable_refusal("ATTRIBD_LIMITS_BODY=huge") ==
        "ATTRIBD_LIMITS_BODY is `huge`, expected a size such as 16MiB");
  CHECK(variable_refusal("ATTRIBD_RULESETS=a=/x,b") ==
        "ATTRIBD_RULESETS has `b`, expected NAME=PATH");
  CHECK(variable_refusal("ATTRIBD_RULESETS=a=/x,a=/y") == "ATTRIBD_RULESETS has `a` twice");
  CHECK(variable_refusal("ATTRIBD_LISTEN=a:1,") ==
        "ATTRIBD_LISTEN `` has no port; write HOST:PORT");
  Settings settings;
  CHECK(settings.set_flag(Setting::Requests, {"many"}).error().message ==
        "--limits-requests is `many`, expected a whole number");
}

TEST_CASE("an empty variable is not there, an unknown one is listed") {
  Settings settings;
  const std::vector<std::string> environment{"ATTRIBD_DB=", "ATTRIBD_PORT=tcp://10.0.0.1:80",
                                             "ATTRIBD_CONFIG=x"};
  REQUIRE(settings.read_environment(environment).ok());
  CHECK(settings.text(Setting::Db).empty());
  CHECK(settings.unknown_variables() == std::vector<std::string>{"ATTRIBD_PORT"});
}

TEST_CASE("what is missing or contradicts itself is named with where it came from") {
  Settings settings;
  CHECK(settings.complete().error().message.starts_with("no program: give --program FILE"));
  REQUIRE(settings.set_flag(Setting::Program, {"a.rbc"}).ok());
  CHECK(settings.complete().error().message.starts_with("no database: give --db FILE"));
  REQUIRE(settings.set_flag(Setting::Db, {"a.db"}).ok());
  CHECK(settings.complete().ok());
  REQUIRE(settings.set_flag(Setting::Rulesets, {"default=b.rbc"}).ok());
  CHECK(settings.complete().error().message.starts_with("two programs for the ruleset `default`"));
  REQUIRE(settings.set_flag(Setting::Rulesets, {"other=b.rbc"}).ok());
  REQUIRE(settings.set_flag(Setting::BodyBytes, {"128MiB"}).ok());
  CHECK(settings.complete().error().message.starts_with(
      "`limits.body` (128MiB, --limits-body) is more than `limits.bodies` (64MiB, default)"));
}

}  // namespace
}  // namespace attrib::service
