#include <algorithm>
#include <cstring>
#include <limits>

#include "model/any_case.h"
#include "model/byte_class.h"
#include "model/line_program.h"

namespace attrib::model {
namespace {

constexpr std::uint32_t kNoLimit = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kMaxInstructions = 512;
constexpr int kMaxDepth = 32;

// Of `\d`, `\s` and `\w`.
ByteClass perl_class(char name) {
  ByteClass c{};
  if (name == 's') {
    for (const char blank : {' ', '\t', '\n', '\f', '\r'}) add_byte(&c, static_cast<unsigned char>(blank));
    return c;
  }
  add_range(&c, '0', '9');
  if (name == 'd') return c;
  add_range(&c, 'a', 'z');
  add_range(&c, 'A', 'Z');
  add_byte(&c, '_');
  return c;
}
bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }
}  // namespace

// Recursive descent over the expression; `failed_` once something is outside the subset.
class LineProgramCompiler {
 public:
  explicit LineProgramCompiler(std::string_view expression, bool outline = false)
      : in_(expression), outline_(outline) {}

  std::optional<LineProgram> compile(bool at_start) {
    emit(Op::Save, 0);
    choices(0);
    emit(Op::Save, 1);
    emit(Op::Done);
    if (failed_ || at_ != in_.size()) return std::nullopt;
    std::size_t first = 0;
    while (out_.code_[first].op == Op::Save) ++first;
    out_.at_start_ = at_start || out_.code_[first].op == Op::Begin;
    if (!outline_) out_.prepare_to_run();
    return std::move(out_);
  }

 private:
  using Op = LineProgram::Op;

  std::uint32_t emit(Op op, std::uint32_t a = 0, std::uint32_t b = 0) {
    if (out_.code_.size() >= kMaxInstructions) failed_ = true;
    if (failed_) return 0;
    LineProgram::Instruction i;
    i.op = op;
    i.a = a;
    i.b = b;
    out_.code_.push_back(i);
    return static_cast<std::uint32_t>(out_.code_.size() - 1);
  }
  [[nodiscard]] std::uint32_t here() const { return static_cast<std::uint32_t>(out_.code_.size()); }
  [[nodiscard]] char peek() const { return at_ < in_.size() ? in_[at_] : '\0'; }
  [[nodiscard]] bool at_end() const { return at_ == in_.size(); }
  bool take(char c) {
    if (at_end() || in_[at_] != c) return false;
    ++at_;
    return true;
  }

  // a|b|c: where a choice fails the next one is tried.
  void choices(int depth) {
    if (depth > kMaxDepth) failed_ = true;
    std::vector<std::uint32_t> ends;
    while (!failed_) {
      const std::uint32_t begin = here();
      sequence(depth);
      if (failed_ || peek() != '|' || at_end()) break;
      ++at_;
      insert(begin, {Op::Split, false, begin + 1, 0, 0, 0});
      ends.push_back(emit(Op::Jump));
      if (!failed_) out_.code_[begin].b = here();
    }
    if (failed_) return;
    for (const std::uint32_t end : ends) out_.code_[end].a = here();
  }

  // Puts an instruction before others that are there already, whose targets at or past it move on.
  void insert(std::uint32_t at, LineProgram::Instruction instruction) {
    if (out_.code_.size() >= kMaxInstructions) failed_ = true;
    if (failed_) return;
    for (std::uint32_t pc = at; pc < here(); ++pc) {
      LineProgram::Instruction& i = out_.code_[pc];
      if (i.op == Op::Split || i.op == Op::Jump) {
        if (i.a >= at) ++i.a;
        if (i.op == Op::Split && i.b >= at) ++i.b;
      }
    }
    out_.code_.insert(out_.code_.begin() + at, instruction);
  }

  void sequence(int depth) {
    joinable_ = kNoLimit;  // What stands before is not part of this one.
    while (!failed_ && !at_end() && peek() != '|' && peek() != ')') piece(depth);
  }

  void piece(int depth) {
    if (takes_nothing()) return;
    const std::uint32_t begin = here();
    if (takes_flags()) return;
    const std::size_t from = at_;
    if (take('(')) {
      const bool any_case = any_case_;
      const std::uint32_t groups = out_.groups_;
      group(depth);
      any_case_ = any_case;
      const std::size_t end = at_;
      if (groups == out_.groups_) repeat_as_written(from, end, depth);
      if (!failed_) repeat_group(begin);
      return;
    }
    ByteClass set{};
    char byte = 0;
    const bool single = one_byte(&set, &byte);
    if (failed_) return;
    std::uint32_t least = 1, most = 1;
    const bool counted = quantifier(&least, &most);
    if (failed_) return;
    const bool lazy = counted && take('?');
    if (single && !counted) {
      text(byte);
      return;
    }
    if (single && any_case_) fold(&set);
    const std::uint32_t pc = emit(lazy ? Op::LazyRun : Op::Run, class_index(set));
    if (failed_) return;
    out_.code_[pc].least = least;
    out_.code_[pc].most = most;
  }

  void group(int depth) {
    std::uint32_t number = 0;
    if (take('?')) {
      if (take('P')) {
        const std::size_t end = in_.find('>', at_);
        if (!take('<') || end == std::string_view::npos) failed_ = true;
        if (failed_) return;
        name_group(in_.substr(at_, end - at_));
        at_ = end + 1;
        number = ++out_.groups_;
      } else {
        if (take('i')) any_case_ = true;
        if (!take(':')) failed_ = true;
        if (failed_) return;
      }
    } else {
      out_.names_.emplace_back();
      number = ++out_.groups_;
    }
    if (number != 0) emit(Op::Save, 2 * number);
    choices(depth + 1);
    joinable_ = kNoLimit;
    if (!take(')')) failed_ = true;
    if (number != 0) emit(Op::Save, 2 * number + 1);
  }

  // Of letters, digits and `_`, each once, as RE2 has them.
  void name_group(std::string_view name) {
    const bool known = std::find(out_.names_.begin(), out_.names_.end(), name) != out_.names_.end();
    const bool good = std::all_of(name.begin(), name.end(), [](char c) {
      return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
    });
    if (name.empty() || known || !good) failed_ = true;
    out_.names_.emplace_back(name);
  }

  // A group that comes a fixed number of times, `{n}`, is read so often.
  void repeat_as_written(std::size_t from, std::size_t end, int depth) {
    constexpr std::uint32_t kMostTimes = 8;
    if (failed_ || outline_ || peek() != '{') return;
    std::uint32_t least = 1, most = 1;
    quantifier(&least, &most);
    const std::size_t behind = at_;
    if (least != most || least == 0 || least > kMostTimes || peek() == '?') failed_ = true;
    for (std::uint32_t i = 1; i < least && !failed_; ++i) {
      at_ = from + 1;
      const bool any_case = any_case_;
      group(depth);
      any_case_ = any_case;
      if (at_ != end) failed_ = true;
    }
    at_ = behind;
  }

  // Else a group may only be optional: what repeats a group is left to RE2.
  void repeat_group(std::uint32_t begin) {
    const char c = peek();
    if (at_end() || (c != '*' && c != '+' && c != '?' && c != '{')) return;
    if (outline_) {
      repeat_outlined(begin);
      return;
    }
    if (c != '?') {
      failed_ = true;
      return;
    }
    ++at_;
    if (take('?')) {
      failed_ = true;
      return;
    }
    insert(begin, {Op::Split, false, begin + 1, 0, 0, 0});
    if (!failed_) out_.code_[begin].b = here();
  }

  // What repeats stands once, or perhaps not at all, with anything round it.
  void repeat_outlined(std::uint32_t begin) {
    std::uint32_t least = 1, most = 1;
    quantifier(&least, &most);
    take('?');
    const std::uint32_t any = class_index(every_byte());
    insert(begin, {Op::Run, false, any, 0, 0, kNoLimit});
    const std::uint32_t after = emit(Op::Run, any);
    if (failed_) return;
    out_.code_[after].most = kNoLimit;
    if (least > 0) return;
    insert(begin, {Op::Split, false, begin + 1, 0, 0, 0});
    if (!failed_) out_.code_[begin].b = here();
  }

  // `(?i)` holds to the end of the group it stands in.
  bool takes_flags() {
    if (!in_.substr(at_).starts_with("(?i)")) return false;
    at_ += 4;
    any_case_ = true;
    // Nothing was there to repeat.
    if (std::string_view("*+?{").find(peek()) != std::string_view::npos && !at_end()) failed_ = true;
    return true;
  }

  // `^`, `$`, `\b` and `\B` take no text.
  bool takes_nothing() {
    if (at_end()) return false;
    if (take('^')) {
      place(Op::Begin, 0);
      return true;
    }
    if (take('$')) {
      place(Op::End, 0);
      return true;
    }
    if (peek() != '\\' || at_ + 1 >= in_.size()) return false;
    const char name = in_[at_ + 1];
    if (name != 'b' && name != 'B') return false;
    at_ += 2;
    place(Op::Edge, name == 'b' ? 1 : 0);
    return true;
  }

  void place(Op op, std::uint32_t a) {
    if (outline_) return;
    emit(op, a);
    joinable_ = kNoLimit;
    // That would repeat nothing.
    if (!at_end() && std::string_view("*+?{").find(peek()) != std::string_view::npos) failed_ = true;
  }

  // A class, an escaped byte or a plain one. True for one single byte.
  bool one_byte(ByteClass* set, char* byte) {
    const char c = in_[at_++];
    if (c == '[') {
      bracket(set);
      return false;
    }
    if (c == '.' || c == '^' || c == '$' || c == '*' || c == '+' || c == '?' || c == '{') {
      failed_ = c != '.';
      set->fill(~std::uint64_t{0});
      drop_line_end(set);
      return false;
    }
    if (c == '\\' && !at_end() &&
        std::string_view(outline_ ? "dDsSwW" : "dsw").find(peek()) != std::string_view::npos) {
      *set = outline_ ? every_byte() : perl_class(peek());
      drop_line_end(set);
      ++at_;
      return false;
    }
    *byte = c == '\\' ? escaped() : c;
    if (*byte == '\n') failed_ = true;  // Never matches (RE2's never_nl), so it need not be fast.
    if (any_case_ && !is_ascii(*byte)) {  // It has another case perhaps: RE2 knows.
      if (!outline_) failed_ = true;
      *set = every_byte();
      return false;
    }
    *set = only(*byte);
    drop_line_end(set);
    return true;
  }

  char escaped() {
    if (at_end()) {
      failed_ = true;
      return 0;
    }
    const char c = in_[at_++];
    switch (c) {
      case 't':
        return '\t';
      case 'r':
        return '\r';
      case 'n':
        return '\n';
      case 'x':
        return hex();
      default:
        break;
    }
    const auto u = static_cast<unsigned char>(c);
    const bool word = (u >= '0' && u <= '9') || (u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z');
    if (word) failed_ = true;  // \d, \b, \pL: not written by us.
    return c;
  }

  char hex() {
    unsigned value = 0;
    for (int i = 0; i < 2; ++i) {
      const char c = peek();
      const std::size_t digit = std::string_view("0123456789abcdef0123456789ABCDEF").find(c);
      if (at_end() || digit == std::string_view::npos) {
        failed_ = true;
        return 0;
      }
      value = value * 16 + static_cast<unsigned>(digit % 16);
      ++at_;
    }
    return static_cast<char>(value);
  }

  void bracket(ByteClass* set) {
    const bool negated = take('^');
    if (outline_) {
      skip_bracket(set);
      return;
    }
    bool first = true;
    while (!at_end() && (first || peek() != ']')) {
      first = false;
      if (peek() == '[' && at_ + 1 < in_.size() && in_[at_ + 1] == ':') failed_ = true;
      char low = in_[at_++];
      if (low == '\\') low = escaped();
      char high = low;
      if (at_ + 1 < in_.size() && peek() == '-' && in_[at_ + 1] != ']') {
        ++at_;
        high = in_[at_++];
        if (high == '\\') high = escaped();
      }
      if (any_case_ && !(is_ascii(low) && is_ascii(high))) failed_ = true;
      if (static_cast<unsigned char>(low) > static_cast<unsigned char>(high)) failed_ = true;
      if (failed_) return;
      add_range(set, low, high);
    }
    if (!take(']')) failed_ = true;
    if (any_case_) fold(set);
    if (negated) {
      for (std::uint64_t& word : *set) word = ~word;
    }
    drop_line_end(set);
  }

  // Any byte will do; where the bracket ends is what matters.
  void skip_bracket(ByteClass* set) {
    bool first = true;
    while (!at_end() && (first || peek() != ']')) {
      first = false;
      if (in_.substr(at_).starts_with("[:")) {
        at_ = std::min(in_.find(":]", at_), in_.size() - 1) + 1;
      } else if (peek() == '\\') {
        ++at_;
      }
      if (!at_end()) ++at_;
    }
    if (!take(']')) failed_ = true;
    *set = every_byte();
  }

  bool quantifier(std::uint32_t* least, std::uint32_t* most) {
    if (take('*')) {
      *least = 0;
      *most = kNoLimit;
      return true;
    }
    if (take('+')) {
      *most = kNoLimit;
      return true;
    }
    if (take('?')) {
      *least = 0;
      return true;
    }
    if (!take('{')) return false;
    *least = number();
    *most = *least;
    if (take(',')) *most = peek() == '}' ? kNoLimit : number();
    if (!take('}') || *most < *least) failed_ = true;
    return true;
  }

  std::uint32_t number() {
    std::uint32_t value = 0;
    bool any = false;
    while (!at_end() && peek() >= '0' && peek() <= '9' && value < 100'000) {
      value = value * 10 + static_cast<std::uint32_t>(in_[at_++] - '0');
      any = true;
    }
    if (!any || value > 1000) failed_ = true;
    return value;
  }

  // Bytes that follow one another are one text, unless something jumps between them: only pieces of
  // one sequence are joined, and a quantifier was looked for already.
  void text(char byte) {
    if (any_case_) byte = to_lower(byte);
    if (!out_.code_.empty() && out_.code_.back().op == Op::Text && joinable_ == here() &&
        out_.code_.back().any_case == any_case_) {
      out_.texts_[out_.code_.back().a] += byte;
      return;
    }
    out_.texts_.emplace_back(1, byte);
    const std::uint32_t pc = emit(Op::Text, static_cast<std::uint32_t>(out_.texts_.size() - 1));
    if (failed_) return;
    out_.code_[pc].any_case = any_case_;
    joinable_ = here();
  }

  std::uint32_t class_index(const ByteClass& set) { return out_.class_index(set); }

  std::string_view in_;
  bool outline_ = false;  // Take more syntax than can be run: LineProgram::outline().
  std::size_t at_ = 0;
  std::uint32_t joinable_ = kNoLimit;  // The place after a text that the next byte may join.
  bool failed_ = false;
  bool any_case_ = false;  // Of the place that is read.
  LineProgram out_;
};

std::optional<LineProgram> LineProgram::compile(std::string_view expression, bool at_start) {
  return LineProgramCompiler(expression).compile(at_start);
}

std::optional<LineProgram> LineProgram::outline(std::string_view expression) {
  return LineProgramCompiler(expression, true).compile(false);
}

}  // namespace attrib::model
