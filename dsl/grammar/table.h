#pragma once

// Tables. Rows are the one place where the end of a line means something: it ends the row.

#include "dsl/grammar/facts.h"

namespace attrib::dsl::grammar {

struct row_gap : p::star<p::one<' ', '\t', '\r'>> {};
// A token inside a row: the blanks after it stay on its line.
template <typename... R>
struct row_tok : p::seq<token<R...>, row_gap> {};
struct row_bar : row_tok<p::one<'|'>> {};
struct row_arrow : row_tok<p::string<'=', '>'>> {
  static constexpr const char* expected = "`|` and the next key, or `=>` and the results";
};
struct row_comma : row_tok<p::one<','>> {};
struct row_brace : row_tok<p::one<'}'>> {
  static constexpr const char* expected = "`,` or `}`";
};

struct row_text : row_tok<p::one<'"'>, text_body, p::must<closing_quote>> {
  static constexpr Kind kind = Kind::Text;
};
struct row_number : row_tok<p::opt<p::one<'-'>>, bare_number> {
  static constexpr Kind kind = Kind::Number;
  static constexpr const char* expected = "a number";
};
struct row_truth
    : row_tok<p::sor<bare_word<'t', 'r', 'u', 'e'>, bare_word<'f', 'a', 'l', 's', 'e'>>> {
  static constexpr Kind kind = Kind::Truth;
};
struct row_name : row_tok<bare_name> {
  static constexpr Kind kind = Kind::Name;
};
struct cell_literal : p::sor<row_text, row_number, row_truth, row_name> {
  static constexpr const char* expected = "a value";
};

// `------0001...`: digits and marks of a bit pattern. It holds a `-` after its first character,
// which no number does. The builder counts them.
struct bit_pattern
    : p::seq<p::plus<p::one<'0', '1'>>, p::one<'-'>, p::star<p::one<'0', '1', '-'>>> {};
struct open_bit_pattern
    : p::seq<p::one<'-'>, p::star<p::one<'0', '1'>>, p::one<'-'>, p::star<p::one<'0', '1', '-'>>> {
};
struct full_bit_pattern : p::rep<32, p::one<'0', '1', '-'>> {};
struct masked : p::seq<p::string<'0', 'x'>, p::plus<p::xdigit>, p::one<'/'>, p::string<'0', 'x'>,
                       p::plus<p::xdigit>> {};
struct cell_ternary
    : row_tok<p::sor<masked, p::seq<p::sor<full_bit_pattern, bit_pattern, open_bit_pattern>,
                                    p::not_at<p::identifier_other>>>> {
  static constexpr Kind kind = Kind::CellTernary;
};
struct cell_any : row_tok<p::one<'*'>> {
  static constexpr Kind kind = Kind::CellAny;
};
struct cell_literals : p::list_must<cell_literal, row_comma> {
  static constexpr const char* expected = "a value";
};
struct cell_set : p::seq<row_tok<p::one<'{'>>, p::must<cell_literals>, p::must<row_brace>> {
  static constexpr Kind kind = Kind::CellSet;
};
struct cell_range : p::seq<row_number, row_tok<p::string<'.', '.'>>, p::must<row_number>> {
  static constexpr Kind kind = Kind::CellRange;
};
struct cell_value : p::seq<cell_literal> {
  static constexpr Kind kind = Kind::CellValue;
};
struct cell_empty : p::success {
  static constexpr Kind kind = Kind::CellEmpty;
};
struct key_cell : p::sor<cell_any, cell_ternary, cell_set, cell_range, cell_value, cell_empty> {};
struct result_cell : p::sor<cell_value, cell_empty> {};
struct key_cells : p::list<key_cell, row_bar> {
  static constexpr Kind kind = Kind::KeyCells;
};
struct result_cells : p::list<result_cell, row_bar> {
  static constexpr Kind kind = Kind::ResultCells;
};
struct row_end : p::seq<p::sor<p::at<p::sor<p::one<'\n', '#', '}'>, p::eof>>>, gap> {
  static constexpr const char* expected = "`|` and the next cell, or the end of the row";
};
struct row : p::seq<row_bar, key_cells, p::must<row_arrow>, result_cells, p::must<row_end>> {
  static constexpr Kind kind = Kind::Row;
};
struct k_default : row_tok<bare_word<'d', 'e', 'f', 'a', 'u', 'l', 't'>> {};
struct default_row : p::seq<k_default, p::must<row_arrow>, result_cells, p::must<row_end>> {
  static constexpr Kind kind = Kind::DefaultRow;
};

struct k_columns : kw<'c', 'o', 'l', 'u', 'm', 'n', 's'> {};
struct k_match : kw<'m', 'a', 't', 'c', 'h'> {};
struct k_table : kw<'t', 'a', 'b', 'l', 'e'> {};
struct match_mode : p::if_must<k_match, word> {
  static constexpr Kind kind = Kind::Match;
};
struct header : p::sor<word, text> {
  static constexpr const char* expected = "the header of a column";
};
struct column : p::seq<word, p::opt<p::if_must<equal_sign, header>>> {
  static constexpr Kind kind = Kind::Column;
  static constexpr const char* expected = "a column, such as `name` or `name = header`";
};
struct column_list : p::list_must<column, comma> {
  static constexpr const char* expected = "columns, such as `name = header`";
};
struct columns : p::if_must<k_columns, open_paren, column_list, close_paren> {};
struct csv : p::seq<k_from, p::must<text>, p::opt<columns>> {
  static constexpr Kind kind = Kind::Csv;
};
struct fields : p::list_must<field, comma> {
  static constexpr const char* expected = "columns, such as `code u16`";
};
struct key_columns : p::seq<open_paren, p::must<fields>, p::must<close_paren>> {
  static constexpr Kind kind = Kind::KeyColumns;
  static constexpr const char* expected = "the key columns in parentheses";
};
struct result_columns : p::seq<open_paren, p::must<fields>, p::must<close_paren>> {
  static constexpr Kind kind = Kind::ResultColumns;
  static constexpr const char* expected = "the result columns in parentheses";
};
struct thin_arrow : tok<p::string<'-', '>'>> {
  static constexpr const char* expected = "`->` and the result columns";
};
struct table_clause : p::sor<row, default_row, match_mode, csv> {};
struct table : p::seq<p::if_must<k_table, rule_name, key_columns, thin_arrow, result_columns>,
                      block<table_clause>> {
  static constexpr Kind kind = Kind::Table;
};

}  // namespace attrib::dsl::grammar
