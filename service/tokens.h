#pragma once

// Who may do what. Tokens are told by "Authorization: Bearer TOKEN"; the file holds only their SHA-256, so that who
// reads it cannot use it. A token that is not in the file is refused even where `anonymous` would do. A TOML file:
//
//   anonymous = ["read"]            # Scopes of requests without a token; default none.
//   [[token]]
//   name = "collector"              # In logs.
//   sha256 = "64 hex digits"
//   scopes = ["read", "write"]      # read: verdicts, sessions; write: create, post, delete; admin: all, and /v2/admin.

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "service/file.h"

namespace attrib::service {

enum class Scope : std::uint8_t { None, Read, Write, Admin };

struct Access {
  bool allowed = false;
  bool known = false;  // A valid token was given (then a refusal is 403, else 401).
  std::string name;    // Of the token; empty: none.
};

class TokenTable;

// Thread-safe. Comparison takes the same time whichever token is wrong.
class Tokens {
 public:
  Tokens();  // Without a file everybody may do everything (loopback only: see settings.h).
  ~Tokens();
  // Replaces the table; on an Error ("FILE:LINE:COLUMN: ...") the old one stays. A file that others may write to is
  // refused, and one by which nobody may do anything (no token, no `anonymous` scopes): it is empty by mistake.
  Status load(const std::string& path);
  // Loads again if the file has changed since (true), or since an attempt that failed.
  Result<bool> reload_if_changed();
  Status reload();                      // Whether it has changed or not. Nothing without a file.
  [[nodiscard]] bool required() const;  // Was a file loaded?
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] Access check(std::string_view authorization, Scope needed) const;

 private:
  Status load_locked(const std::string& path);
  std::mutex load_mutex_;  // Of path_ and stamp_: one load at a time.
  std::string path_;
  std::optional<FileStamp> stamp_;
  mutable std::mutex mutex_;  // Of table_, for moments only.
  std::shared_ptr<const TokenTable> table_;
};

// A new random token (256 bits) and its entry for the file, for `attribd token`.
struct NewToken {
  std::string token;
  std::string entry;  // TOML
};
// `scopes`: "read,write".
Result<NewToken> make_token(const std::string& name, const std::string& scopes);

}  // namespace attrib::service
