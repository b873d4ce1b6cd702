#include "model/pattern_check.h"

#include <fmt/format.h>
#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "model/line_matcher.h"

namespace attrib::model {
namespace {

constexpr std::size_t kOfHole = 128;  // Of a reader or of the name of an entity: the test has them.
constexpr std::size_t kOfPart = 8;
constexpr std::size_t kOfClass = 256;  // Ranges of bytes: each perhaps alone.

// Of the character after a backslash: most are themselves, \d and the like few ranges, \pL many.
std::size_t of_escape(char c) {
  if (c == 'p' || c == 'P') return kOfClass;
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter ? 16 : 2;
}

// RE2 gives two thirds of its memory to the program, a quarter of that to 16 bytes an instruction.
constexpr std::size_t kMemoryOfInstruction = 16 * 4 * 3 / 2;

// Reads an expression that is known to be well formed, for its size and the names of its groups.
class Measure {
 public:
  explicit Measure(std::string_view in) : in_(in) {}

  std::size_t run() {
    groups_ = {0};
    last_ = 0;
    while (at_ < in_.size()) piece();
    return std::min(fold_ * (groups_.front() + kOfPart), kManyInstructions);
  }
  [[nodiscard]] const std::vector<std::string_view>& names() const { return names_; }

 private:
  void piece() {
    const char c = in_[at_++];
    switch (c) {
      case '(':
        return open();
      case ')':
        if (groups_.size() == 1) return;
        last_ = groups_.back() + kOfPart;
        groups_.pop_back();
        return add(last_);
      case '[':
        return bracket();
      case '\\':
        return escape();
      case '{':
        return count();
      case '*':
      case '+':
      case '?':
      case '|':
        return add(kOfPart);
      default:
        last_ = 1;
        return add(1);
    }
  }

  void add(std::size_t size) {
    groups_.back() = std::min(groups_.back() + size, kManyInstructions);
  }

  void open() {
    if (in_.substr(at_, 3) == "?P<") {
      const std::size_t end = std::min(in_.find('>', at_), in_.size());
      names_.push_back(in_.substr(at_ + 3, end - std::min(end, at_ + 3)));
      at_ = std::min(end + 1, in_.size());
    } else if (in_.substr(at_, 1) == "?") {
      fold_ = 2;  // Flags may make letters match in both cases.
      ++at_;
    }
    groups_.push_back(0);
  }

  void bracket() {
    bool first = true;
    std::size_t size = 2;
    if (in_.substr(at_, 1) == "^") ++at_;
    while (at_ < in_.size() && (first || in_[at_] != ']')) {
      first = false;
      const std::size_t name_ends =
          in_.substr(at_, 2) == "[:" ? in_.find(":]", at_ + 2) : std::string_view::npos;
      if (name_ends != std::string_view::npos) {
        at_ = name_ends + 2;
        size += kOfClass;
      } else if (in_[at_] == '\\' && at_ + 1 < in_.size()) {
        size += of_escape(in_[at_ + 1]);
        at_ += 2;
      } else {
        ++at_;
        size += 2;
      }
    }
    at_ = std::min(at_ + 1, in_.size());
    last_ = std::min(size, kOfClass);
    add(last_);
  }

  void escape() {
    const std::string_view rest = in_.substr(std::min(at_, in_.size()));
    const bool text = rest.starts_with('Q');
    if (text) {  // \Q...\E, byte for byte.
      const std::size_t end = std::min(rest.find("\\E"), rest.size());
      last_ = 1;
      add(end);
      at_ += std::min(end + 2, rest.size());
      return;
    }
    last_ = rest.empty() ? 1 : of_escape(rest.front());
    at_ += std::min<std::size_t>(1, rest.size());
    add(last_);
  }

  // {n}, {n,} or {n,m} after what was last; else a brace.
  void count() {
    const std::size_t end = in_.find('}', at_);
    std::size_t least = 0, most = 0;
    const char* const begin = in_.data() + at_;
    const auto [comma, bad] = std::from_chars(begin, in_.data() + in_.size(), least);
    if (end == std::string_view::npos || bad != std::errc()) {
      last_ = 1;
      return add(1);
    }
    most = least;
    const auto stop = static_cast<std::size_t>(comma - in_.data());
    if (in_[stop] == ',' && stop + 1 < end) {
      std::from_chars(comma + 1, in_.data() + end, most);
    }
    const std::size_t times = std::min(std::max(least, most) + 1, kManyInstructions);
    at_ = end + 1;
    last_ = std::min(times * (last_ + kOfPart), kManyInstructions);
    add(last_);
  }

  std::string_view in_;
  std::size_t at_ = 0;
  std::size_t last_ = 0;  // Of the piece that a count would repeat.
  std::size_t fold_ = 1;
  std::vector<std::size_t> groups_;  // Open ones, with what they hold so far.
  std::vector<std::string_view> names_;
};

std::size_t most_instructions(const LineTemplate& line, const std::vector<Type>& types) {
  std::size_t size = kOfPart;
  for (const TemplatePart& part : line.parts) {
    size += kOfPart + part.text.size();
    if (part.kind != PartKind::Hole && part.kind != PartKind::Skip) continue;
    size += kOfHole;
    if (part.kind != PartKind::Hole || part.capture >= types.size()) continue;
    for (const std::string& word : types[part.capture].words) size += kOfPart + word.size();
  }
  return size;
}

bool is_word(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// The same with groups that have no names. At the first name RE2 makes itself a table of all letters there are, which
// takes as long as parsing a hundred expressions; of names that are plain words it says nothing.
std::string without_names(std::string_view expression, const std::vector<std::string_view>& names) {
  std::string out;
  std::size_t copied = 0;
  for (const std::string_view name : names) {
    const auto begin = static_cast<std::size_t>(name.data() - expression.data());
    const std::size_t end = begin + name.size();
    constexpr std::string_view kMark = "?P<";
    const bool plain = is_word(name) && begin >= copied + kMark.size() &&
                       expression.substr(begin - kMark.size(), kMark.size()) == kMark &&
                       expression.substr(end, 1) == ">" &&
                       expression.substr(end + 1, 1) != "?";  // Behind `(` it would say something else.
    if (!plain) return std::string(expression);
    out += expression.substr(copied, begin - kMark.size() - copied);
    copied = end + 1;
  }
  out += expression.substr(copied);
  return out;
}

// RE2's syntax, without compiling: a set only parses what is added to it.
bool parses(const std::string& expression) {
  re2::RE2::Options options(re2::RE2::Latin1);
  options.set_log_errors(false);
  options.set_never_nl(true);
  re2::RE2::Set set(options, re2::RE2::UNANCHORED);
  std::string error;
  return set.Add(expression, &error) >= 0;
}

}  // namespace

std::size_t most_instructions(std::string_view expression) { return Measure(expression).run(); }

bool surely_fits(std::string_view expression, std::size_t max_memory) {
  return most_instructions(expression) <= max_memory / kMemoryOfInstruction;
}

std::string pattern_fault(const LineTemplate& line, const std::vector<std::string>& names,
                          const std::vector<Type>& types, std::size_t max_memory) {
  const std::size_t room = max_memory / kMemoryOfInstruction;
  if (line.regex.empty()) {
    if (most_instructions(line, types) <= room) {
      const bool known = std::all_of(line.parts.begin(), line.parts.end(), [&](const auto& part) {
        return part.kind != PartKind::Hole || part.capture < types.size();
      });
      return known ? "" : "a hole captures into nothing";
    }
  } else if (Measure measure(line.regex); measure.run() <= room && parses(without_names(line.regex, measure.names()))) {
    std::vector<std::string_view> found = measure.names();
    std::sort(found.begin(), found.end());  // As RE2 lists them.
    for (const std::string_view name : found) {
      const auto at = std::find(names.begin(), names.end(), name);
      if (static_cast<std::size_t>(at - names.begin()) >= std::min(names.size(), types.size()))
        return fmt::format("group `{}` is no capture", name);
    }
    return "";
  }
  return LineMatcher(line, names, types, max_memory).error();
}

}  // namespace attrib::model
