// One declaration: its text is matched by the grammar and built into the tree, or its errors are
// reported.

#include "dsl/parse_declaration.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "dsl/build.h"
#include "dsl/keywords.h"
#include "dsl/parse.h"
#include "dsl/recover.h"

namespace attrib::dsl {
namespace {

bool is_word_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_word(char c) { return is_word_start(c) || (c >= '0' && c <= '9'); }

// The token that begins at `at`, for messages: a dotted name, a text, or a character.
std::string_view token_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return {};
  std::size_t end = at + 1;
  if (is_word(text[at])) {
    while (end < text.size() && (is_word(text[end]) || (text[end] == '.' && end + 1 < text.size() &&
                                                        is_word(text[end + 1]))))
      ++end;
  } else if (text[at] == '"') {
    while (end < text.size() && text[end] != '"' && text[end] != '\n')
      end += text[end] == '\\' ? 2 : 1;
    end = std::min(end + 1, text.size());
  } else {
    constexpr std::array<std::string_view, 7> kMarks = {"==", "!=", "<=", ">=", "=>", "..", "->"};
    for (const std::string_view mark : kMarks) {
      if (text.substr(at).starts_with(mark)) end = at + mark.size();
    }
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
  }
  return text.substr(at, end - at);
}

std::string describe(std::string_view token) {
  if (token.empty()) return "the end of the declaration";
  constexpr std::size_t kShown = 30;
  if (token.size() <= kShown) return fmt::format("`{}`", token);
  return fmt::format("`{}...`", escape_invalid_utf8(token.substr(0, kShown)));
}

std::string joined(std::span<const std::string> words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "`" : ", `") + word + "`";
  return out;
}

// The word that ends just before `at`, without the blanks between.
std::string_view word_before(std::string_view text, std::size_t at) {
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t')) --at;
  std::size_t begin = at;
  while (begin > 0 && is_word(text[begin - 1])) --begin;
  return text.substr(begin, at - begin);
}

class DeclarationParser {
 public:
  DeclarationParser(std::string_view file, SourceId source, const Region& region,
                    DiagnosticSink& sink)
      : text_(file.substr(region.begin, region.end - region.begin)),
        source_(source),
        region_(region),
        sink_(sink) {}

  std::optional<Decl> run(SyntaxTree& tree) {
    keyword_ = token_at(text_, 0);
    if (!is_declaration_keyword(keyword_)) {
      unknown_declaration(0);
      return std::nullopt;
    }
    if (const auto failure = match_declaration(text_, tree)) {
      report(*failure);
      report_later_clauses(*failure, tree);
      return std::nullopt;
    }
    BuildContext context{tree, text_, source_, region_.begin, sink_};
    std::optional<Decl> decl = build_declaration(Node(context, 0));
    if (context.failed) decl.reset();
    return decl;
  }

 private:
  // Blanks out the clause that failed and matches again, so that one run also reports the other
  // clauses.
  void report_later_clauses(const SyntaxFailure& first, SyntaxTree& tree) {
    constexpr int kMaxMore = 8;
    if (region_.unclosed) return;
    std::string blanked(text_);
    std::size_t failed_at = first.offset;
    for (int more = 0; more < kMaxMore; ++more) {
      const auto clause = find_clause(blanked, failed_at, clause_words(keyword_));
      if (!clause) return;
      for (std::size_t i = clause->begin; i < clause->end; ++i) {
        if (blanked[i] != '\n') blanked[i] = ' ';
      }
      const auto failure = match_declaration(blanked, tree);
      if (!failure || failure->offset < clause->end) return;
      report(*failure);
      failed_at = failure->offset;
    }
  }

  [[nodiscard]] Span at(std::size_t offset, std::size_t size) const {
    const std::size_t begin = std::min(offset, text_.size());
    const std::size_t end = std::min(begin + std::max<std::size_t>(size, 1), text_.size());
    return {source_, region_.begin + static_cast<std::uint32_t>(begin),
            region_.begin + static_cast<std::uint32_t>(end)};
  }

  void unknown_declaration(std::size_t offset) {
    const std::string_view token = token_at(text_, offset);
    Diagnostic& report =
        sink_.emit<diag::UnknownDeclaration>(at(offset, token.size()), describe(token));
    if (const auto near = nearest(token, declaration_keywords()))
      report.hint(fmt::format("did you mean `{}`?", *near));
  }

  void report(const SyntaxFailure& failure) {
    const std::string_view token = token_at(text_, failure.offset);
    const Span span = at(failure.offset, token.size());
    if (token.empty() && region_.unclosed) {
      sink_.emit<diag::UnclosedBrace>(Span{source_, *region_.unclosed, *region_.unclosed + 1})
          .note(Span{source_, region_.end, region_.end},
                "the block should have ended before this place");
      return;
    }
    Diagnostic& report = emit(failure, token, span);
    if (region_.unclosed) {
      report.note(Span{source_, *region_.unclosed, *region_.unclosed + 1},
                  "the block that opens here is never closed");
    }
  }

  Diagnostic& syntax_error(const Span& span, std::string_view expected, std::string_view token) {
    return sink_.emit<diag::SyntaxError>(span,
                                         fmt::format("{}, found {}", expected, describe(token)));
  }

  Diagnostic& emit(const SyntaxFailure& failure, std::string_view token, const Span& span) {
    if (failure.expected == kSlipSingleEqual)
      return sink_.emit<diag::SingleEqual>(span).hint("write `==`");
    if (failure.expected == kSlipNesting)
      return sink_.emit<diag::NestingTooDeep>(span, kMaxNesting);
    if (failure.expected == kSlipMissingAt) {
      return sink_.emit<diag::MissingAt>(span, describe(token))
          .hint(fmt::format("write `at {}`", token));
    }
    if (failure.expected == kSlipEscape) {
      const std::size_t size = token_size_of_character(failure.offset);
      return sink_.emit<diag::BadEscape>(at(failure.offset, size),
                                         text_.substr(failure.offset, size));
    }
    if (failure.expected == kClauseOrEnd) return clause_error(failure, token, span);
    if (failure.expected == kDeclarationEnd) {
      Diagnostic& report = syntax_error(span, "the next declaration", token);
      if (const auto near = nearest(token, declaration_keywords()))
        report.hint(fmt::format("did you mean `{}`?", *near));
      return report;
    }
    Diagnostic& report = syntax_error(span, failure.expected, token);
    if (!failure.hint.empty()) report.hint(failure.hint);
    suggest_clause_before(failure, report);
    return report;
  }

  [[nodiscard]] std::size_t token_size_of_character(std::size_t offset) const {
    std::size_t end = offset + 1;
    while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0U) == 0x80U) ++end;
    return end - offset;
  }

  Diagnostic& clause_error(const SyntaxFailure& failure, std::string_view token, const Span& span) {
    const auto words = clause_words(keyword_);
    if (token.empty() || !is_word_start(token[0])) {
      Diagnostic& report =
          syntax_error(span, fmt::format("a clause of `{}` or `}}`", keyword_), token);
      suggest_clause_before(failure, report);
      return report;
    }
    Diagnostic& report = sink_.emit<diag::UnknownClause>(span, token, keyword_);
    if (const auto near = nearest(token, words))
      report.hint(fmt::format("did you mean `{}`?", *near));
    else
      report.hint(fmt::format("the clauses of `{}` are {}", keyword_, joined(words)));
    return report;
  }

  // `titel "..."` fails at the text, because `titel` could be a field: look at the word before.
  void suggest_clause_before(const SyntaxFailure& failure, Diagnostic& report) {
    const std::string_view before = word_before(text_, failure.offset);
    const auto words = clause_words(keyword_);
    if (before.empty() || std::find(words.begin(), words.end(), before) != words.end()) return;
    if (is_declaration_keyword(before)) return;
    if (keyword_ != "symptom" && keyword_ != "event") return;
    if (const auto near = nearest(before, words))
      report.hint(fmt::format("did you mean `{}` for `{}`?", *near, before));
  }

  std::string_view text_;
  SourceId source_;
  const Region& region_;
  DiagnosticSink& sink_;
  std::string_view keyword_;
};

}  // namespace

std::optional<Decl> parse_declaration(std::string_view file, SourceId source, const Region& region,
                                      SyntaxTree& tree, DiagnosticSink& sink) {
  return DeclarationParser(file, source, region, sink).run(tree);
}

}  // namespace attrib::dsl
