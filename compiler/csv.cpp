#include "compiler/csv.h"

#include "compiler/limits.h"

namespace attrib::compiler {
namespace {

class CsvParser {
 public:
  CsvParser(Context& context, SourceId source)
      : c_(context), source_(source), text_(context.sources.text(source)) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  }

  std::optional<std::vector<CsvRow>> parse() {
    while (at_ < text_.size()) {
      if (line_end()) continue;  // An empty line says nothing.
      CsvRow row;
      if (!parse_row(&row)) return std::nullopt;
      if (!rows_.empty() && row.cells.size() != rows_.front().cells.size()) {
        fail(row.cells.front().span.begin, at_,
             fmt::format("this row has {} cells, the header {}", row.cells.size(),
                         rows_.front().cells.size()));
        return std::nullopt;
      }
      rows_.push_back(std::move(row));
      // One more than the rows of a table, for the header.
      if (!within_limit(c_, rows_.back().cells.front().span, rows_.size() - 1, kMaxTableRows,
                        "a data file", "rows")) {
        return std::nullopt;
      }
    }
    if (rows_.empty()) {
      fail(0, 0, "the file has no header line");
      return std::nullopt;
    }
    return std::move(rows_);
  }

 private:
  [[nodiscard]] Span span(std::size_t begin, std::size_t end) const {
    return {source_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }
  void fail(std::size_t begin, std::size_t end, const std::string& what) {
    c_.sink.emit<diag::CsvSyntax>(span(begin, end), what);
  }
  bool line_end() {
    if (text_[at_] == '\n') {
      ++at_;
      return true;
    }
    if (text_.substr(at_).starts_with("\r\n")) {
      at_ += 2;
      return true;
    }
    return false;
  }

  bool parse_row(CsvRow* row) {
    while (true) {
      const std::size_t begin = at_;
      CsvCell cell;
      if (text_.substr(at_).starts_with('"') ? !quoted(&cell.text) : !plain(&cell.text))
        return false;
      cell.span = span(begin, at_);
      if (!within_limit(c_, cell.span, cell.text.size(), kMaxCellBytes, "a cell", "bytes"))
        return false;
      row->cells.push_back(std::move(cell));
      if (at_ >= text_.size() || line_end()) return true;
      if (text_[at_] != ',') {
        fail(at_, at_ + 1, "a comma or line end belongs after a quoted cell");
        return false;
      }
      ++at_;
    }
  }
  bool plain(std::string* out) {
    const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    *out = text_.substr(at_, end - at_);
    if (const std::size_t quote = out->find('"'); quote != std::string::npos) {
      fail(at_ + quote, at_ + quote + 1, "a quote stands inside a cell that is not quoted");
      return false;
    }
    at_ = end;
    if (at_ < text_.size() && text_[at_] == '\r' && !text_.substr(at_).starts_with("\r\n")) {
      fail(at_, at_ + 1, "a carriage return stands without a line feed");
      return false;
    }
    return true;
  }
  bool quoted(std::string* out) {
    const std::size_t open = at_++;
    while (at_ < text_.size()) {
      const char ch = text_[at_++];
      if (ch != '"') {
        *out += ch;
      } else if (at_ < text_.size() && text_[at_] == '"') {
        *out += '"';
        ++at_;
      } else {
        return true;
      }
    }
    fail(open, open + 1, "the quote opened here is not closed");
    return false;
  }

  Context& c_;
  SourceId source_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<CsvRow> rows_;
};

}  // namespace

std::optional<std::vector<CsvRow>> parse_csv(Context& c, SourceId source) {
  return CsvParser(c, source).parse();
}

std::optional<SourceId> load_data(Context& c, const dsl::Text& path) {
  auto found = c.data.read(path.value, c.sources.path(path.span.source));
  if (!found) {
    c.sink.emit<diag::MissingData>(path.span, path.value)
        .hint("put it beside the rule file, or name its folder with --data");
    return std::nullopt;
  }
  const auto known = c.data_sources.find(found->shown_path);
  if (known != c.data_sources.end()) return known->second;
  if (!within_limit(c, path.span, found->bytes.size(), kMaxCsvBytes, "a data file", "bytes")) {
    return std::nullopt;
  }
  const SourceId id = c.sources.add(found->shown_path, std::move(found->bytes));
  c.data_sources.emplace(c.sources.path(id), id);
  return id;
}

}  // namespace attrib::compiler
