#include "model/line_matcher.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>

#include "base/find_text.h"
#include "model/line_program.h"
#include "model/pattern_check.h"

namespace attrib::model {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;

struct Group {
  int number;  // Of the expression, from 1.
  std::uint16_t capture;
  Type type;
  Reader reader;
};

re2::RE2::Options options(std::size_t max_memory) {
  re2::RE2::Options out(re2::RE2::Latin1);  // Bytes: a line need not be UTF-8.
  out.set_log_errors(false);
  out.set_never_nl(true);
  out.set_max_mem(static_cast<std::int64_t>(max_memory));
  return out;
}

// Where in `words` the words of a text lie, the first at its end and the last at its begin, which may be
// parts: to the first one that is not theirs.
std::vector<bool> words_of(const std::string& text, const std::vector<std::string>& words) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; (at = text.find_first_not_of(" \t", at)) != kNowhere;) {
    const std::size_t end = std::min(text.find_first_of(" \t", at), text.size());
    parts.push_back(std::string_view(text).substr(at, end - at));
    at = end;
  }
  std::vector<bool> out(words.size());
  const std::size_t count = parts.size();
  for (std::size_t from = 0; count > 0 && from + count <= words.size(); ++from) {
    bool fits = words[from].find(parts[0]) != kNowhere;
    if (count > 1) fits = words[from].ends_with(parts[0]) && words[from + count - 1].starts_with(parts[count - 1]);
    for (std::size_t i = 1; i + 1 < count; ++i) fits = fits && words[from + i] == parts[i];
    if (fits) std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(from), count, true);
  }
  return out;
}

// The longest word of each match, and of those the last, for templates of one family begin alike: but none
// that the program looks for itself or that a text holds of those one of which is known to be there. Single
// characters stand in most lines.
std::string telling_word(const LineTemplate& line, std::string_view sought,
                         const std::vector<std::string>& known) {
  const std::vector<std::string> words = required_words(line);
  std::vector<bool> is_known(words.size());
  for (const std::string& text : known) {
    const std::vector<bool> here = words_of(text, words);
    for (std::size_t i = 0; i < words.size(); ++i) is_known[i] = is_known[i] || here[i];
  }
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool tells = !is_known[i] && words[i].size() > 1 && words[i] != sought;
    if (tells && words[i].size() >= out.size()) out = words[i];
  }
  return out;
}

}  // namespace

struct LineMatcher::Compiled {
  std::string expression;
  std::size_t max_memory = 0;
  bool at_start = false;
  std::optional<LineProgram> program;
  std::vector<Group> groups;
  int group_count = 0;
  // Each match holds it. Templates of one family (`Xid (PCI:`) are told apart by such a word at a
  // fraction of what a match costs. Perhaps none.
  std::string word;

  // Where the word mostly is there, looking for it first is of no use. Says nothing of the result.
  static constexpr int kMostly = 16;
  [[nodiscard]] bool may_match(std::string_view text) const {
    if (word.empty()) return true;
    const int there = there_.load(std::memory_order_relaxed);
    if (there >= kMostly) return true;
    const bool found = find_text(text, word) != std::string_view::npos;
    there_.store(found ? there + 1 : 0, std::memory_order_relaxed);
    return found;
  }
  void failed() const { there_.store(0, std::memory_order_relaxed); }

  const re2::RE2& regex() {
    std::call_once(once_, [this] { re2_.emplace(expression, options(max_memory)); });
    return *re2_;
  }

  std::map<std::string, int> named_groups() {
    if (!program) return regex().NamedCapturingGroups();
    std::map<std::string, int> out;
    for (std::size_t i = 0; i < program->names().size(); ++i) {
      if (!program->names()[i].empty()) out.emplace(program->names()[i], static_cast<int>(i) + 1);
    }
    return out;
  }

 private:
  mutable std::atomic<int> there_{0};  // So many texts in a row had the word.
  std::once_flag once_;
  std::optional<re2::RE2> re2_;  // Made when first needed.
};

LineMatcher::LineMatcher(const LineTemplate& line, const std::vector<std::string>& names,
                         const std::vector<Type>& types, std::size_t max_memory, Engine engine,
                         const std::vector<std::string>& known) {
  std::vector<std::uint16_t> captures;
  compiled_ = std::make_unique<Compiled>();
  compiled_->expression = to_regex(line, types, &captures);
  compiled_->max_memory = max_memory;
  compiled_->at_start = line.at_start;
  if (engine == Engine::Best) {
    compiled_->program = LineProgram::compile(compiled_->expression, line.at_start);
    const std::string_view sought =
        compiled_->program ? compiled_->program->sought() : std::string_view();
    compiled_->word = telling_word(line, sought, known);
  }
  // RE2 answers where the program gives up, so a `regex` must compile for it as well.
  const bool needs_re2 =
      !compiled_->program || (!line.regex.empty() && !surely_fits(line.regex, max_memory));
  if (needs_re2 && !compiled_->regex().ok()) {
    error_ = compiled_->regex().error();
    return;
  }
  std::vector<Reader> readers;
  for (const TemplatePart& part : line.parts) {
    if (part.kind == PartKind::Hole) readers.push_back(part.reader);
  }
  for (std::size_t i = 0; i < captures.size(); ++i) {
    if (captures[i] >= types.size()) {
      error_ = "a hole captures into nothing";
      return;
    }
    compiled_->groups.push_back(
        {static_cast<int>(i) + 1, captures[i], types[captures[i]], readers[i]});
  }
  if (!line.regex.empty()) {
    for (const auto& [name, number] : compiled_->named_groups()) {
      const auto at = std::find(names.begin(), names.end(), name);
      const auto index = static_cast<std::size_t>(at - names.begin());
      if (at == names.end() || index >= types.size()) {
        error_ = fmt::format("group `{}` is no capture", name);
        return;
      }
      const Type& type = types[index];
      compiled_->groups.push_back({number, static_cast<std::uint16_t>(index), type,
                                   type.kind == ValueKind::Entity ? Reader::Entity : type.reader});
    }
  }
  for (const Group& group : compiled_->groups) {
    compiled_->group_count = std::max(compiled_->group_count, group.number);
  }
}

LineMatcher::~LineMatcher() = default;
LineMatcher::LineMatcher(LineMatcher&&) noexcept = default;
LineMatcher& LineMatcher::operator=(LineMatcher&&) noexcept = default;

bool LineMatcher::has_program() const { return compiled_->program.has_value(); }

bool LineMatcher::match(std::string_view text,
                        std::vector<std::optional<Constant>>* captures) const {
  thread_local std::vector<Piece> found;
  found.clear();
  if (!find(text, &found)) return false;
  read(text, found, captures);
  return true;
}

std::size_t LineMatcher::pieces() const { return compiled_->groups.size(); }

bool LineMatcher::find(std::string_view text, std::vector<Piece>* pieces,
                       std::size_t* begin, bool one_line) const {
  if (!error_.empty()) return false;
  if (!compiled_->may_match(text)) return false;
  std::span<const std::size_t> places;
  auto outcome = LineProgram::Outcome::GaveUp;
  if (compiled_->program) outcome = compiled_->program->find(text, one_line, &places);
  if (outcome == LineProgram::Outcome::GaveUp && match_regex(text, &places))
    outcome = LineProgram::Outcome::Yes;
  if (outcome != LineProgram::Outcome::Yes) {
    compiled_->failed();
    return false;
  }
  if (begin != nullptr) *begin = places[0];
  for (const Group& group : compiled_->groups) {
    const auto at = 2 * static_cast<std::size_t>(group.number);
    Piece& piece = pieces->emplace_back();
    if (places[at] == kNowhere || places[at + 1] == kNowhere) continue;
    piece.begin = static_cast<std::uint32_t>(places[at]);
    piece.size = static_cast<std::uint32_t>(places[at + 1] - places[at]);
  }
  return true;
}

void LineMatcher::read(std::string_view text, std::span<const Piece> pieces,
                       std::vector<std::optional<Constant>>* captures) const {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Group& group = compiled_->groups[i];
    if (pieces[i].begin == Piece::kNone) continue;
    Constant value =
        read_value(group.type, group.reader, text.substr(pieces[i].begin, pieces[i].size));
    if (value.kind != ValueKind::Null) (*captures)[group.capture] = std::move(value);
  }
}

bool LineMatcher::match_regex(std::string_view text, std::span<const std::size_t>* places) const {
  const re2::RE2& regex = compiled_->regex();
  if (!regex.ok()) return false;
  const auto anchor = compiled_->at_start ? re2::RE2::ANCHOR_START : re2::RE2::UNANCHORED;
  std::vector<re2::StringPiece> found(static_cast<std::size_t>(compiled_->group_count) + 1);
  // Without groups RE2 need not find where the match lies.
  const int wanted = compiled_->groups.empty() ? 0 : compiled_->group_count + 1;
  const re2::StringPiece piece(text.data(), text.size());
  if (!regex.Match(piece, 0, text.size(), anchor, found.data(), wanted)) return false;
  thread_local std::vector<std::size_t> out;
  out.clear();
  for (const re2::StringPiece& each : found) {
    const bool has = each.data() != nullptr;
    const std::size_t at = has ? static_cast<std::size_t>(each.data() - text.data()) : kNowhere;
    out.insert(out.end(), {at, has ? at + each.size() : kNowhere});
  }
  *places = out;
  return true;
}

}  // namespace attrib::model
