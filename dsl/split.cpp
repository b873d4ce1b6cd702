#include "dsl/split.h"

#include <algorithm>

#include "dsl/keywords.h"

namespace attrib::dsl {
namespace {

bool is_word_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_word(char c) { return is_word_start(c) || (c >= '0' && c <= '9'); }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

class Splitter {
 public:
  Splitter(std::string_view text, SourceId source, DiagnosticSink& sink)
      : text_(text), source_(source), sink_(sink) {}

  std::vector<Region> run() {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    while (true) {
      skip_gap();
      if (at_ >= text_.size()) break;
      regions_.push_back({at_, at_, false, std::nullopt});
      scan_region();
    }
    return std::move(regions_);
  }

 private:
  // Declarations that end with their line unless a comma ends it; `let` goes on to the next
  // declaration, all others to the end of their block.
  static bool ends_with_line(std::string_view keyword) {
    return keyword == "pack" || keyword == "language" || keyword == "use";
  }

  void scan_region() {
    Region& region = regions_.back();
    braces_.clear();
    const std::string_view keyword = word_at(at_);
    const bool one_line = ends_with_line(keyword);
    char last = ' ';
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        if (one_line && braces_.empty() && last != ',') break;
        ++at_;
        if (starts_declaration()) break;
        continue;
      }
      if (c == '#') {
        skip_comment();
        continue;
      }
      if (!is_blank(c)) last = c;
      if (c == '"') {
        skip_text(region);
      } else if (c == '{') {
        braces_.push_back(at_++);
      } else if (c == '}') {
        if (close_brace(region)) break;
      } else if (is_word_start(c)) {
        while (at_ < text_.size() && is_word(text_[at_])) ++at_;
      } else {
        ++at_;
      }
    }
    if (!braces_.empty() && at_ >= text_.size() && !at_column_one_) {
      // A brace is missing somewhere. From here on a declaration's word in the first column ends a
      // block, open or not: once for the rest of the file, so that the scan stays linear.
      at_column_one_ = true;
      at_ = region.begin;
      region = {at_, at_, false, std::nullopt};
      scan_region();
      return;
    }
    region.end = at_;
    if (!braces_.empty()) region.unclosed = braces_.back();
  }

  // At the begin of a line: does a declaration start here?
  bool starts_declaration() {
    if (!braces_.empty() && !at_column_one_) return false;
    std::uint32_t word = at_;
    while (braces_.empty() && word < text_.size() && is_blank(text_[word])) ++word;
    return is_declaration_keyword(word_at(word));
  }

  // True when the block of the region ends here.
  bool close_brace(Region& region) {
    if (braces_.empty()) {
      sink_.emit<diag::StrayBrace>(Span{source_, at_, at_ + 1});
      region.damaged = true;
      ++at_;
      return true;
    }
    braces_.pop_back();
    ++at_;
    return braces_.empty();
  }

  void skip_text(Region& region) {
    const std::uint32_t begin = at_++;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') {
      at_ += text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n' ? 2 : 1;
    }
    if (at_ < text_.size() && text_[at_] == '"') {
      ++at_;
      return;
    }
    region.damaged = true;
    if (begin >= reported_to_)  // Not when a region is scanned again.
      sink_.emit<diag::UnterminatedText>(Span{source_, begin, at_});
    reported_to_ = std::max(reported_to_, at_);
  }

  void skip_comment() {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }

  void skip_gap() {
    while (at_ < text_.size() &&
           (is_blank(text_[at_]) || text_[at_] == '\n' || text_[at_] == '#')) {
      if (text_[at_] == '#')
        skip_comment();
      else
        ++at_;
    }
  }

  [[nodiscard]] std::string_view word_at(std::uint32_t begin) const {
    std::uint32_t end = begin;
    if (end < text_.size() && is_word_start(text_[end])) {
      while (end < text_.size() && is_word(text_[end])) ++end;
    }
    return text_.substr(begin, end - begin);
  }

  std::string_view text_;
  SourceId source_;
  DiagnosticSink& sink_;
  std::uint32_t at_ = 0;
  std::vector<std::uint32_t> braces_;
  std::vector<Region> regions_;
  bool at_column_one_ = false;
  std::uint32_t reported_to_ = 0;  // Unterminated texts before this place are reported.
};

}  // namespace

std::vector<Region> split_declarations(std::string_view text, SourceId source,
                                       DiagnosticSink& sink) {
  return Splitter(text, source, sink).run();
}

}  // namespace attrib::dsl
