// The parser's two tiers put together: split the file, then match and build each declaration.

#include "dsl/parse.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "dsl/parse_declaration.h"
#include "dsl/split.h"

namespace attrib::dsl {
namespace {

// Where the first byte stands that is not valid UTF-8 text, if any.
std::optional<std::size_t> find_bad_byte(std::string_view text) {
  const std::size_t nul = text.find('\0');
  if (nul != std::string_view::npos) return nul;
  const auto above_ascii = [](char c) { return static_cast<signed char>(c) < 0; };
  if (std::none_of(text.begin(), text.end(), above_ascii)) return std::nullopt;
  std::size_t escaped = 0;
  const std::string valid = escape_invalid_utf8(text, &escaped);
  if (escaped == 0) return std::nullopt;
  return static_cast<std::size_t>(
      std::mismatch(text.begin(), text.end(), valid.begin(), valid.end()).first - text.begin());
}

}  // namespace

File parse(const SourceMap& sources, SourceId source, DiagnosticSink& sink) {
  File file{source, {}};
  const std::string_view text = sources.text(source);
  if (text.size() > kMaxFileBytes) {
    sink.emit<diag::FileTooLarge>(Span{source, 0, 0}, text.size(), kMaxFileBytes);
    return file;
  }
  if (const auto bad = find_bad_byte(text)) {
    const auto offset = static_cast<std::uint32_t>(*bad);
    sink.emit<diag::BadText>(Span{source, offset, offset + 1},
                             text[*bad] == '\0' ? "a NUL byte" : "this byte");
    return file;
  }
  SyntaxTree tree;
  for (const Region& region : split_declarations(text, source, sink)) {
    if (region.damaged) continue;
    if (auto decl = parse_declaration(text, source, region, tree, sink))
      file.decls.push_back(std::move(*decl));
  }
  return file;
}

}  // namespace attrib::dsl
