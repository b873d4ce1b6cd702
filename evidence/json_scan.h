#pragma once

// Finds where JSON values begin and end, without building anything: it looks at quotes and brackets
// only. So a document of any size is cut into slices (one observation each) whose size and depth
// are known before the JSON library sees them, a torn document still gives the slices before the
// tear, and each slice has a line number.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attrib::evidence {

struct ScanError {
  std::size_t at = 0;  // Byte in the text.
  bool torn = false;   // The text ended too early.
  std::string expected;
};

class JsonScanner {
 public:
  explicit JsonScanner(std::string_view text, std::size_t at = 0) : text_(text), at_(at) {}

  [[nodiscard]] std::size_t at() const { return at_; }
  void blanks();
  [[nodiscard]] bool done();  // Only blanks are left.
  bool take(char c);          // After blanks.
  // The value that begins here, after blanks; its nesting goes to `depth`. Empty: see error().
  std::optional<std::string_view> value(std::size_t* depth = nullptr);
  // A string with its quotes.
  std::optional<std::string_view> string();
  [[nodiscard]] const ScanError& error() const { return error_; }
  void fail(std::string expected);

 private:
  bool skip_string();
  bool skip_brackets(std::size_t* depth);

  std::string_view text_;
  std::size_t at_ = 0;
  ScanError error_;
};

// The members of the one object that `text` is. None: torn, or not one object.
struct MemberSlice {
  std::string_view key;  // Without quotes, escapes not resolved.
  std::string_view value;
};
std::optional<std::vector<MemberSlice>> split_object(std::string_view text);

// Is `text` (blanks around it allowed) one whole object, as far as quotes and brackets tell?
bool is_whole_object(std::string_view text);

}  // namespace attrib::evidence
