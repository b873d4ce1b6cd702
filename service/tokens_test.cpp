#include "service/tokens.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/digest.h"
#include "base/test_folder.h"

namespace attrib::service {
namespace {

class TokenFile {
 public:
  explicit TokenFile(const std::string& text) {
    write(text);
  }
  void write(const std::string& text) const { std::ofstream(path_) << text; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  TestFolder folder_;
  std::string path_ = folder_ / "tokens.toml";
};

std::string entry(const std::string& name, const std::string& token, const std::string& scopes) {
  return "[[token]]\nname = \"" + name + "\"\nsha256 = \"" + sha256_hex(token) + "\"\nscopes = [" +
         scopes + "]\n";
}

std::string refusal(const std::string& text) {
  const TokenFile file(text);
  Tokens tokens;
  const Status status = tokens.load(file.path());
  CHECK_FALSE(tokens.required());
  return status.ok() ? "accepted" : status.error().message.substr(file.path().size());
}

TEST_CASE("without a file everybody may do everything") {
  const Tokens tokens;
  CHECK_FALSE(tokens.required());
  CHECK(tokens.check("", Scope::Admin).allowed);
  CHECK(tokens.check("Bearer whatever", Scope::Write).allowed);
}

TEST_CASE("a file by which nobody may do anything is refused, and the old tokens stay") {
  const std::string nobody =
      ", and no scopes for `anonymous`: nobody could do anything; `attribd token --name NAME` prints "
      "an entry for it";
  for (const char* text : {"", "\n \n", "# only a remark\n", "anonymous = []\n", "token = []\n"})
    CHECK(refusal(text) == ": holds no token" + nobody);
  CHECK(refusal(entry("a", "one", "")) == ": holds only tokens without scopes" + nobody);

  const TokenFile file(entry("a", "one", R"("read")"));
  Tokens tokens;
  REQUIRE(tokens.load(file.path()).ok());
  file.write("");
  CHECK_FALSE(tokens.reload_if_changed().ok());
  CHECK_FALSE(tokens.reload().ok());
  CHECK(tokens.check("Bearer one", Scope::Read).allowed);
  file.write("anonymous = [\"read\"]\n");
  CHECK(tokens.reload_if_changed().value());
  CHECK_FALSE(tokens.check("Bearer one", Scope::Read).allowed);
  CHECK(tokens.check("", Scope::Read).allowed);
}

TEST_CASE("a token has its scopes and no other") {
  const TokenFile file(entry("collector", "one", R"("read", "write")") +
                       entry("board", "two", R"("read")") + entry("root", "three", R"("admin")"));
  Tokens tokens;
  REQUIRE(tokens.load(file.path()).ok());
  CHECK(tokens.required());
  CHECK(tokens.names() == std::vector<std::string>{"collector", "board", "root"});
  const Access write = tokens.check("Bearer one", Scope::Write);
  CHECK(write.allowed);
  CHECK(write.known);
  CHECK(write.name == "collector");
  CHECK_FALSE(tokens.check("Bearer one", Scope::Admin).allowed);
  CHECK(tokens.check("Bearer one", Scope::Admin).known);
  CHECK(tokens.check("bearer  two ", Scope::Read).allowed);
  CHECK_FALSE(tokens.check("Bearer two", Scope::Write).allowed);
  for (const Scope scope : {Scope::Read, Scope::Write, Scope::Admin}) {
    CHECK(tokens.check("Bearer three", scope).allowed);
  }
}

TEST_CASE("no token, another scheme, a wrong and an over-long token are refused as unknown") {
  const TokenFile file(entry("a", "one", R"("admin")"));
  Tokens tokens;
  REQUIRE(tokens.load(file.path()).ok());
  for (const std::string& given :
       {std::string(), std::string("Bearer"), std::string("Bearer "), std::string("Bearer on"),
        std::string("Basic one"), std::string("one"), "Bearer " + sha256_hex("one"),
        "Bearer " + std::string(100'000, 'x')}) {
    const Access access = tokens.check(given, Scope::Read);
    CHECK_FALSE(access.allowed);
    CHECK_FALSE(access.known);
    CHECK(access.name.empty());
    CHECK(tokens.check(given, Scope::None).allowed);
  }
}

TEST_CASE("anonymous has the scopes it is given, but a wrong token is still wrong") {
  const TokenFile file("anonymous = [\"read\"]\n" + entry("a", "one", R"("write")"));
  Tokens tokens;
  REQUIRE(tokens.load(file.path()).ok());
  CHECK(tokens.check("", Scope::Read).allowed);
  CHECK_FALSE(tokens.check("", Scope::Write).allowed);
  CHECK_FALSE(tokens.check("Bearer two", Scope::Read).allowed);
}

TEST_CASE("a file is refused with the place and what would be right, and never quotes a digest") {
  CHECK(refusal("anonymous = [\"read\"\n").starts_with(":1:21: "));
  CHECK(refusal("anonymus = []\n") ==
        ":1:1: no key of a token file is named `anonymus`; did you mean `anonymous`?");
  CHECK(refusal("anonymous = \"read\"\n") ==
        ":1:13: `anonymous` is a string, expected an array such as [\"read\"]");
  CHECK(refusal("anonymous = [\"admin\"]\n") ==
        ":1:13: `anonymous` must not have the scope `admin`; give it to a token");
  CHECK(refusal("token = 3\n") == ":1:9: `token` is an integer, expected tables [[token]]");
  CHECK(refusal("token = [3]\n") == ":1:10: a token is an integer, expected a table [[token]]");
  CHECK(refusal(entry("a", "one", R"("reed")")) ==
        ":4:11: \"reed\" is no scope; scopes are \"read\", \"write\", \"admin\"");
  CHECK(refusal(entry("a", "one", R"("read", 3)")) ==
        ":4:19: an integer is no scope; scopes are \"read\", \"write\", \"admin\"");
}

TEST_CASE("each mistake is named") {
  const std::string marker = "attribd_secret_put_here_by_mistake";
  const std::string said =
      refusal("[[token]]\nname = \"a\"\nsha256 = \"" + marker + "\"\nscope = [\"read\"]\n");
  CHECK(said.find(":3:10: `sha256` is not 64 hexadecimal digits") != std::string::npos);
  CHECK(said.find("no key of a token is named `scope`; did you mean `scopes`?") !=
        std::string::npos);
  CHECK(said.find("a token without `scopes`") != std::string::npos);
  CHECK(said.find(marker) == std::string::npos);
  CHECK(refusal(entry("a b", "one", R"("read")")).starts_with(":2:8: a name is 1 to 64"));
  CHECK(refusal(entry("", "one", R"("read")")).starts_with(":2:8: a name is 1 to 64"));
  CHECK(refusal(entry("a", "one", R"("read")") + entry("a", "two", R"("read")")) ==
        ":6:8: a second token is named `a`");
  CHECK(refusal(entry("a", "one", R"("read")") + entry("b", "one", R"("write")"))
            .starts_with(":7:10: a second entry has this `sha256`"));
}

TEST_CASE("a file that others may write to is refused") {
  const TokenFile file(entry("a", "one", R"("read")"));
  REQUIRE(chmod(file.path().c_str(), 0622) == 0);
  Tokens tokens;
  const Status status = tokens.load(file.path());
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().message.find("chmod go-w") != std::string::npos);
}

TEST_CASE("a changed file is read again, a bad one keeps the old table and is told once") {
  const TokenFile file(entry("a", "one", R"("read")"));
  Tokens tokens;
  REQUIRE(tokens.load(file.path()).ok());
  CHECK_FALSE(tokens.reload_if_changed().value());

  file.write(entry("a", "one", R"("read")") + entry("b", "two", R"("read")"));
  CHECK(tokens.reload_if_changed().value());
  CHECK(tokens.check("Bearer two", Scope::Read).allowed);

  file.write("tokens = []\n");
  CHECK_FALSE(tokens.reload_if_changed().ok());
  CHECK(tokens.check("Bearer two", Scope::Read).allowed);
  CHECK(tokens.reload_if_changed().ok());
  CHECK_FALSE(tokens.reload().ok());

  std::filesystem::remove(file.path());
  CHECK_FALSE(tokens.reload_if_changed().ok());
  CHECK(tokens.reload_if_changed().ok());
  CHECK(tokens.check("Bearer one", Scope::Read).allowed);

  file.write(entry("c", "three", R"("read")"));
  CHECK(tokens.reload_if_changed().value());
  CHECK_FALSE(tokens.check("Bearer one", Scope::Read).allowed);
  CHECK(tokens.names() == std::vector<std::string>{"c"});
}

TEST_CASE("a new token works with the entry that is printed for the file, which does not hold it") {
  const auto made = make_token("collector", "read,write");
  REQUIRE(made.ok());
  CHECK(made.value().entry.find(made.value().token) == std::string::npos);
  const TokenFile file(made.value().entry);
  Tokens tokens;
  REQUIRE(tokens.load(file.path()).ok());
  CHECK(tokens.check("Bearer " + made.value().token, Scope::Write).name == "collector");
  CHECK(make_token("collector", "read").value().token != made.value().token);
  CHECK_FALSE(make_token("a b", "read").ok());
  CHECK_FALSE(make_token("a", "reed").ok());
  CHECK_FALSE(make_token("a", "").ok());
  CHECK_FALSE(make_token("a", "read,").ok());
}

}  // namespace
}  // namespace attrib::service
