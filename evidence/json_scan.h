#pragma once

// Finds where JSON values begin and end, without building anything: it looks at quotes and brackets
// only. So a document of any size is cut into slices (one observation each) whose size and depth
// are known before the JSON library sees them, a torn document still gives the slices before the
// tear, and each slice has a line number.

#include <cstddef>
#include <functional>
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

// A value cut out of a text.
struct Slice {
  std::string_view text;
  std::size_t at = 0;     // Its offset.
  std::size_t depth = 0;  // Its nesting.
};

// One object with its members cut apart, `observations` further into its elements. What could be
// cut before an error is there.
struct DocumentSlices {
  struct Member {
    std::string_view name;  // Without quotes, escapes not resolved.
    Slice value;
  };
  std::vector<Member> members;  // All but a list called `observations`.
  std::vector<Slice> observations;
  bool has_observations = false;
  std::optional<ScanError> error;  // Torn, or no object; also text behind its end.
};
// Asked of each member and each observation as it is cut: shall it be kept? Empty: yes. A text of a few megabytes may
// hold millions of them.
struct KeepSlices {
  std::function<bool(std::string_view name, const Slice& value)> member;
  std::function<bool(const Slice& value)> observation;
};
DocumentSlices cut_document(std::string_view text, const KeepSlices& keep = {});

// Is `text` (blanks around it allowed) one whole object, as far as quotes and brackets tell?
bool is_whole_object(std::string_view text);

std::string too_deep(std::size_t depth);  // What is said of a value below kMaxDepth.

}  // namespace attrib::evidence
