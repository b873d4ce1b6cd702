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
  std::size_t escaped = 0;
  escape_invalid_utf8(text, &escaped);
  if (escaped == 0) return std::nullopt;
  for (std::size_t begin = 0;
       begin < text.size();) {  // Line by line: the place is only needed for the message.
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    escaped = 0;
    escape_invalid_utf8(text.substr(begin, end - begin), &escaped);
    if (escaped > 0) return begin;
    begin = end + 1;
  }
  return 0;
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
                             text[*bad] == '\0' ? "a NUL byte" : "this line");
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
