#include "service/tokens.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "base/check.h"
#include "base/digest.h"
#include "base/random.h"
#include "service/file.h"
#include "service/toml.h"

namespace attrib::service {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{1} << 20U;
constexpr std::size_t kMaxTokenBytes = 512;
constexpr std::size_t kMaxNameBytes = 64;

using ScopeSet = unsigned;
constexpr ScopeSet bit(Scope scope) { return 1U << static_cast<unsigned>(scope); }
constexpr ScopeSet kEverything = bit(Scope::Read) | bit(Scope::Write) | bit(Scope::Admin);

std::optional<ScopeSet> scope_of(std::string_view word) {
  if (word == "read") return bit(Scope::Read);
  if (word == "write") return bit(Scope::Write);
  if (word == "admin") return kEverything;
  return std::nullopt;
}

std::optional<Sha256> from_hex(std::string_view text) {
  Sha256 out{};
  if (text.size() != 2 * out.size()) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char each = text[i];
    int digit = -1;
    if (each >= '0' && each <= '9') digit = each - '0';
    if (each >= 'a' && each <= 'f') digit = each - 'a' + 10;
    if (each >= 'A' && each <= 'F') digit = each - 'A' + 10;
    if (digit < 0) return std::nullopt;
    out[i / 2] = static_cast<unsigned char>(out[i / 2] * 16 + digit);
  }
  return out;
}

bool good_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameBytes && std::ranges::all_of(name, [](char c) {
    return c > ' ' && c < 0x7f && c != '"' && c != '\\';
  });
}
constexpr std::string_view kNameRule = "1 to 64 visible ASCII characters, without `\"` and `\\`";

bool same_scheme(std::string_view word) {
  constexpr std::string_view kBearer = "bearer";
  return std::ranges::equal(word, kBearer, [](char a, char b) { return (a | 0x20) == b; });
}

}  // namespace

class TokenTable {
 public:
  struct Entry {
    std::string name;
    Sha256 digest{};
    ScopeSet scopes = 0;
  };
  std::string path;
  std::vector<Entry> entries;
  ScopeSet anonymous = 0;
};

namespace {

class Reader {
 public:
  explicit Reader(const std::string& path) : errors_(path) { table_.path = path; }

  Result<TokenTable> read(const toml::table& file) {
    for (const auto& [key, node] : file) {
      if (key == "anonymous") {
        table_.anonymous = scopes(node, "anonymous");
        // Else a forgotten line would hand out everything to everybody.
        if ((table_.anonymous & bit(Scope::Admin)) != 0) {
          errors_.add(node.source(),
                      "`anonymous` must not have the scope `admin`; give it to a token");
        }
      } else if (key == "token") {
        tokens(node);
      } else {
        errors_.unknown_key(key.source(), "key of a token file", key.str(),
                            std::array<std::string, 2>{"anonymous", "token"});
      }
    }
    if (errors_.any()) return errors_.error();
    return std::move(table_);
  }

 private:
  ScopeSet scopes(const toml::node& node, std::string_view what) {
    const toml::array* list = node.as_array();
    ScopeSet out = 0;
    if (list == nullptr) {
      errors_.add(node.source(), fmt::format("`{}` is {}, expected an array such as [\"read\"]",
                                             what, kind_of(node)));
      return out;
    }
    for (const toml::node& each : *list) {
      const auto word = each.value<std::string>();
      const auto scope = word && each.is_string() ? scope_of(*word) : std::nullopt;
      if (!scope) {
        errors_.add(each.source(),
                    fmt::format("{} is no scope; scopes are \"read\", \"write\", \"admin\"",
                                each.is_string() ? toml_quoted(*word) : kind_of(each)));
      }
      out |= scope.value_or(0);
    }
    return out;
  }

  void tokens(const toml::node& node) {
    const toml::array* list = node.as_array();
    if (list == nullptr) {
      errors_.add(node.source(),
                  fmt::format("`token` is {}, expected tables [[token]]", kind_of(node)));
      return;
    }
    for (const toml::node& each : *list) {
      if (const toml::table* entry = each.as_table())
        token(*entry);
      else
        errors_.add(each.source(),
                    fmt::format("a token is {}, expected a table [[token]]", kind_of(each)));
    }
  }

  void token(const toml::table& from) {
    TokenTable::Entry entry;
    for (const auto& [key, node] : from) {
      if (key == "name")
        name(node, entry);
      else if (key == "sha256")
        digest(node, entry);
      else if (key == "scopes")
        entry.scopes = scopes(node, "scopes");
      else {
        errors_.unknown_key(key.source(), "key of a token", key.str(),
                            std::array<std::string, 3>{"name", "sha256", "scopes"});
      }
    }
    for (const char* key : {"name", "sha256", "scopes"}) {
      if (!from.contains(key)) errors_.add(from.source(), fmt::format("a token without `{}`", key));
    }
    table_.entries.push_back(std::move(entry));
  }

  void name(const toml::node& node, TokenTable::Entry& entry) {
    entry.name = node.is_string() ? node.value_or(std::string()) : std::string();
    if (!good_name(entry.name)) {
      errors_.add(node.source(), fmt::format("a name is {}", kNameRule));
    } else if (!names_.insert(entry.name).second) {
      errors_.add(node.source(), fmt::format("a second token is named `{}`", entry.name));
    }
  }

  // What stands here is never quoted: it may be the token itself, put there by mistake.
  void digest(const toml::node& node, TokenTable::Entry& entry) {
    const auto bytes = from_hex(node.is_string() ? node.value_or(std::string()) : std::string());
    if (!bytes) {
      errors_.add(node.source(),
                  "`sha256` is not 64 hexadecimal digits; `attribd token` prints an entry");
      return;
    }
    entry.digest = *bytes;
    if (!digests_.insert(*bytes).second) {
      errors_.add(node.source(),
                  "a second entry has this `sha256`: which scopes it has would be open");
    }
  }

  TomlErrors errors_;
  TokenTable table_;
  std::set<std::string> names_;
  std::set<Sha256> digests_;
};

}  // namespace

Tokens::Tokens() = default;
Tokens::~Tokens() = default;

Status Tokens::load(const std::string& path) {
  const std::lock_guard one(load_mutex_);
  return load_locked(path);
}

Status Tokens::load_locked(const std::string& path) {
  path_ = path;
  stamp_ =
      stamp_of(path);  // Also of a file that is refused: it is not tried again until it changes.
  ATTRIB_TRY(const FileText file, read_file(path, kMaxFileBytes));
  stamp_ = file.stamp;
  if ((file.stamp.mode & (S_IWGRP | S_IWOTH)) != 0) {
    return Error{
        fmt::format("{0}: others may write to it (mode {1:03o}), and so give themselves a token; "
                    "run: chmod go-w {0}",
                    path, file.stamp.mode & 0777U)};
  }
  ATTRIB_TRY(const toml::table parsed, parse_toml(path, file.text));
  ATTRIB_TRY(TokenTable table, Reader(path).read(parsed));
  // Of what an editor truncates before it writes: who has a token would be locked out meanwhile.
  if (table.anonymous == 0 && std::ranges::all_of(table.entries, [](const TokenTable::Entry& each) {
        return each.scopes == 0;
      })) {
    return Error{fmt::format(
        "{}: holds {}, and no scopes for `anonymous`: nobody could do anything; "
        "`attribd token --name NAME` prints an entry for it",
        path, table.entries.empty() ? "no token" : "only tokens without scopes")};
  }
  auto fresh = std::make_shared<const TokenTable>(std::move(table));
  const std::lock_guard lock(mutex_);
  table_ = std::move(fresh);
  return Done{};
}

Result<bool> Tokens::reload_if_changed() {
  const std::lock_guard one(load_mutex_);
  if (path_.empty() || stamp_of(path_) == stamp_) return false;
  ATTRIB_TRY([[maybe_unused]] const Done done, load_locked(path_));
  return true;
}

Status Tokens::reload() {
  const std::lock_guard one(load_mutex_);
  return path_.empty() ? Status(Done{}) : load_locked(path_);
}

bool Tokens::required() const {
  const std::lock_guard lock(mutex_);
  return table_ != nullptr;
}

std::vector<std::string> Tokens::names() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> out;
  if (table_ != nullptr) {
    for (const TokenTable::Entry& each : table_->entries) out.push_back(each.name);
  }
  return out;
}

Access Tokens::check(std::string_view authorization, Scope needed) const {
  std::shared_ptr<const TokenTable> table;
  {
    const std::lock_guard lock(mutex_);
    table = table_;
  }
  if (table == nullptr || needed == Scope::None)
    return {.allowed = true, .known = false, .name = {}};
  if (authorization.empty()) {
    return {.allowed = (table->anonymous & bit(needed)) != 0, .known = false, .name = {}};
  }
  const std::size_t space = authorization.find(' ');
  if (space == std::string_view::npos || !same_scheme(authorization.substr(0, space))) return {};
  std::string_view token = authorization.substr(space);
  token.remove_prefix(std::min(token.find_first_not_of(' '), token.size()));
  token = token.substr(0, token.find_last_not_of(" \t") + 1);
  if (token.empty() || token.size() > kMaxTokenBytes) return {};
  const Sha256 digest = sha256(token);
  // All entries are compared, each whole, so that time tells nothing of them.
  const TokenTable::Entry* found = nullptr;
  for (const TokenTable::Entry& each : table->entries) {
    if (CRYPTO_memcmp(each.digest.data(), digest.data(), digest.size()) == 0) found = &each;
  }
  if (found == nullptr) return {};
  return {.allowed = (found->scopes & bit(needed)) != 0, .known = true, .name = found->name};
}

Result<NewToken> make_token(const std::string& name, const std::string& scopes) {
  if (!good_name(name)) return Error{fmt::format("a name is {}", kNameRule)};
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= scopes.size();) {
    const std::size_t comma = std::min(scopes.find(',', begin), scopes.size());
    const std::string word = scopes.substr(begin, comma - begin);
    if (!scope_of(word))
      return Error{fmt::format("`{}` is no scope; scopes are read, write, admin", word)};
    words.push_back(toml_quoted(word));
    begin = comma + 1;
  }
  NewToken out;
  out.token =
      "attribd_" + random_hex(32);  // A prefix, so that scanners for leaked secrets can know it.
  out.entry = fmt::format("[[token]]\nname = {}\nsha256 = \"{}\"\nscopes = [{}]\n",
                          toml_quoted(name), sha256_hex(out.token), fmt::join(words, ", "));
  return out;
}

}  // namespace attrib::service
