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

}  // namespace

struct LineMatcher::Compiled {
  std::string expression;
  std::size_t max_memory = 0;
  bool at_start = false;
  std::optional<LineProgram> program;
  std::vector<Group> groups;
  int group_count = 0;
  // Each match holds these in order. Templates of one family (`Xid (PCI:`) are told apart by them at
  // a fraction of what a match costs.
  std::vector<std::string> words;

  // Where the words mostly are there, looking for them first is of no use. Says nothing of the result.
  static constexpr int kMostly = 16;
  [[nodiscard]] bool may_match(std::string_view text) const {
    const int there = there_.load(std::memory_order_relaxed);
    if (there >= kMostly) return true;
    const bool found = has_words(text);
    there_.store(found ? there + 1 : 0, std::memory_order_relaxed);
    return found;
  }
  void failed() const { there_.store(0, std::memory_order_relaxed); }

  [[nodiscard]] bool has_words(std::string_view text) const {
    for (const std::string& word : words) {
      const std::size_t at = find_text(text, word);
      if (at == std::string_view::npos) return false;
      text.remove_prefix(at + word.size());
    }
    return true;
  }

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
  mutable std::atomic<int> there_{0};  // So many texts in a row had all words.
  std::once_flag once_;
  std::optional<re2::RE2> re2_;  // Made when first needed.
};

LineMatcher::LineMatcher(const LineTemplate& line, const std::vector<std::string>& names,
                         const std::vector<Type>& types, std::size_t max_memory, Engine engine) {
  std::vector<std::uint16_t> captures;
  compiled_ = std::make_unique<Compiled>();
  compiled_->expression = to_regex(line, types, &captures);
  compiled_->max_memory = max_memory;
  compiled_->at_start = line.at_start;
  if (engine == Engine::Best) {
    compiled_->words = required_words(line);
    // Single characters stand in most lines.
    std::erase_if(compiled_->words, [](const std::string& word) { return word.size() < 2; });
    compiled_->program = LineProgram::compile(compiled_->expression, line.at_start);
    // One word the program looks for itself.
    if (compiled_->program && compiled_->words.size() == 1) compiled_->words.clear();
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
                       std::size_t* begin) const {
  if (!error_.empty()) return false;
  if (!compiled_->may_match(text)) return false;
  thread_local std::vector<LineProgram::Group> found;
  auto outcome = LineProgram::Outcome::GaveUp;
  if (compiled_->program) outcome = compiled_->program->match(text, &found);
  if (outcome == LineProgram::Outcome::GaveUp && match_regex(text, &found))
    outcome = LineProgram::Outcome::Yes;
  if (outcome != LineProgram::Outcome::Yes) {
    compiled_->failed();
    return false;
  }
  if (begin != nullptr) {
    const bool known = !found.empty() && found[0];
    *begin = known ? static_cast<std::size_t>(found[0]->data() - text.data())
                   : std::string_view::npos;
  }
  for (const Group& group : compiled_->groups) {
    const LineProgram::Group& part = found[static_cast<std::size_t>(group.number)];
    Piece& piece = pieces->emplace_back();
    if (!part) continue;
    piece.begin = static_cast<std::uint32_t>(part->data() - text.data());
    piece.size = static_cast<std::uint32_t>(part->size());
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

bool LineMatcher::match_regex(std::string_view text,
                              std::vector<std::optional<std::string_view>>* groups) const {
  const re2::RE2& regex = compiled_->regex();
  if (!regex.ok()) return false;
  const auto anchor = compiled_->at_start ? re2::RE2::ANCHOR_START : re2::RE2::UNANCHORED;
  std::vector<re2::StringPiece> found(static_cast<std::size_t>(compiled_->group_count) + 1);
  // Without groups RE2 need not find where the match lies.
  const int wanted = compiled_->groups.empty() ? 0 : compiled_->group_count + 1;
  const re2::StringPiece piece(text.data(), text.size());
  if (!regex.Match(piece, 0, text.size(), anchor, found.data(), wanted)) return false;
  groups->assign(found.size(), std::nullopt);
  for (std::size_t g = 0; g < found.size(); ++g) {
    if (found[g].data() != nullptr)
      (*groups)[g] = std::string_view(found[g].data(), found[g].size());
  }
  return true;
}

}  // namespace attrib::model
