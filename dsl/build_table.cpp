#include <utility>

#include "dsl/build.h"

namespace attrib::dsl {
namespace {

constexpr std::size_t kTernaryBits = 32;

void check_ternary(const Node& node) {
  const std::string_view text = node.text();
  if (!text.starts_with("0x") && text.size() != kTernaryBits)
    node.fail<diag::TernaryLength>(text.size());
}

CellDecl build_cell(const Node& node) {
  CellDecl cell;
  cell.span = node.span();
  switch (node.kind()) {
    case Kind::CellAny:
      cell.kind = CellDecl::Kind::Any;
      break;
    case Kind::CellValue:
      cell.kind = CellDecl::Kind::Value;
      break;
    case Kind::CellSet:
      cell.kind = CellDecl::Kind::Set;
      break;
    case Kind::CellRange:
      cell.kind = CellDecl::Kind::Range;
      break;
    case Kind::CellTernary:
      cell.kind = CellDecl::Kind::Ternary;
      cell.ternary = std::string(node.text());
      check_ternary(node);
      break;
    default:
      break;
  }
  for (const Node& child : node.children()) cell.values.push_back(build_expr(child));
  return cell;
}

RowDecl build_row(const Node& node) {
  RowDecl row;
  row.span = node.span();
  for (const Node& cells : node.children()) {
    std::vector<CellDecl>& into = cells.is(Kind::KeyCells) ? row.keys : row.results;
    for (const Node& cell : cells.children()) into.push_back(build_cell(cell));
  }
  return row;
}

CsvDecl build_csv(const Node& node) {
  CsvDecl csv;
  csv.span = node.span();
  csv.path = build_text(node.first());
  for (const Node& child : node.children()) {
    if (!child.is(Kind::Column)) continue;
    const std::vector<Node> parts = child.children();
    csv.columns.emplace_back(build_name(parts[0]),
                             build_name(parts.size() > 1 ? parts[1] : parts[0]));
  }
  return csv;
}

std::vector<FieldDecl> build_columns(const Node& node) {
  std::vector<FieldDecl> columns;
  for (const Node& child : node.children()) columns.push_back(build_field(child));
  return columns;
}

}  // namespace

TableDecl build_table(const Node& node) {
  TableDecl table;
  table.span = node.span();
  for (const Node& child : node.children()) {
    switch (child.kind()) {
      case Kind::Name:
        table.name = build_name(child);
        break;
      case Kind::KeyColumns:
        table.keys = build_columns(child);
        break;
      case Kind::ResultColumns:
        table.results = build_columns(child);
        break;
      case Kind::Match:
        set_once(child, "match", table.match, build_name(child.first()));
        break;
      case Kind::Csv:
        set_once(child, "from", table.csv, build_csv(child));
        break;
      case Kind::Row:
        table.rows.push_back(build_row(child));
        break;
      case Kind::DefaultRow:
        set_once(child, "default", table.default_row, build_row(child));
        break;
      default:
        ATTRIB_CHECK(false, "no table holds this kind of node");
    }
  }
  return table;
}

}  // namespace attrib::dsl
