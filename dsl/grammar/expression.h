#pragma once

// Expressions, from the weakest operator to the strongest, and what is written with them:
// variables, ranges, pairs.

#include "dsl/grammar/tokens.h"

namespace attrib::dsl::grammar {

struct or_expr;
struct sum;
struct factor;
struct condition;
struct object;

struct expr : p::seq<or_expr> {
  static constexpr const char* expected = "an expression";
};
struct term : p::seq<sum> {
  static constexpr const char* expected = "a value";
};
struct expr_list : p::list_must<expr, comma> {};

// `where` and the condition.
struct where_part : p::if_must<k_where, expr> {
  static constexpr Kind kind = Kind::Where;
};

// `x: a.b | c.d`, and `x: a.b where ...`
struct bare_variable : p::seq<word, p::must<colon>, p::must<alternatives>> {
  static constexpr const char* expected = "a variable, such as `x: TYPE`";
};
struct variable : p::seq<bare_variable, p::opt<where_part>> {
  static constexpr Kind kind = Kind::Variable;
  static constexpr const char* expected = "a variable, such as `x: TYPE`";
};

// `count of x: T where W`, `count distinct x.f of x: T`, `least x.f of x: T over SET`. These words
// are only special here, so a variable may be called `count`.
struct k_count : kw<'c', 'o', 'u', 'n', 't'> {};
struct k_distinct : kw<'d', 'i', 's', 't', 'i', 'n', 'c', 't'> {};
struct k_least : kw<'l', 'e', 'a', 's', 't'> {};
struct k_odd : kw<'o', 'd', 'd'> {};
struct k_over : kw<'o', 'v', 'e', 'r'> {};
struct over_part : p::if_must<k_over, term> {
  static constexpr Kind kind = Kind::Over;
};
struct collected : deeper<p::must<name>, p::must<k_of>, p::must<variable>, p::opt<over_part>> {};
struct value_of : p::at<bare_name, gap, bare_word<'o', 'f'>> {};
struct count : p::seq<k_count, k_of, deeper<p::must<variable>>> {
  static constexpr Kind kind = Kind::Count;
};
struct count_distinct : p::seq<k_count, k_distinct, collected> {
  static constexpr Kind kind = Kind::CountDistinct;
};
struct least : p::seq<k_least, value_of, collected> {
  static constexpr Kind kind = Kind::Least;
};
struct odd : p::seq<k_odd, value_of, collected> {
  static constexpr Kind kind = Kind::Odd;
};
struct aggregate : p::sor<count, count_distinct, least, odd> {};

// Words that join what stands beside them; a name may not be one of them.
struct operator_word
    : p::sor<bare_word<'a', 'n', 'd'>, bare_word<'o', 'r'>, bare_word<'n', 'o', 't'>,
             bare_word<'i', 'n'>, bare_word<'h', 'a', 's'>> {};

struct args : p::seq<open_paren, deeper<p::opt<expr_list>, p::must<close_paren>>> {
  static constexpr Kind kind = Kind::Args;
};
struct name_or_call : p::seq<p::not_at<operator_word>, name, p::opt<args>> {
  static constexpr Kind kind = Kind::NameOrCall;
};
struct parenthesis : p::seq<open_paren, deeper<p::must<expr>, p::must<close_paren>>> {};
struct negative : p::seq<tok<p::one<'-'>>, deeper<p::must<factor>>> {
  static constexpr Kind kind = Kind::Negate;
};
struct factor : p::sor<number, text, truth, aggregate, name_or_call, parenthesis, negative> {
  static constexpr const char* expected = "a value";
};
struct add_op : tok<p::one<'+', '-'>> {
  static constexpr Kind kind = Kind::AddOp;
};
struct sum : p::list_must<factor, add_op> {
  static constexpr Kind kind = Kind::Sum;
};

struct compare_op : tok<p::sor<p::string<'=', '='>, p::string<'!', '='>, p::string<'<', '='>,
                               p::string<'>', '='>, p::one<'<', '>'>>> {
  static constexpr Kind kind = Kind::CompareOp;
};
struct k_has : kw<'h', 'a', 's'> {};
struct k_rises : kw<'r', 'i', 's', 'e', 's'> {};
struct list_value : p::seq<open_bracket, deeper<p::opt<expr_list>, p::must<close_bracket>>> {
  static constexpr Kind kind = Kind::List;
};
struct set_operand : p::sor<list_value, term> {
  static constexpr const char* expected =
      "a list in brackets or a set, such as `c.node.comm_ranks`";
};
struct in_suffix : p::if_must<k_in, set_operand> {
  static constexpr Kind kind = Kind::In;
};
struct tag_operand : p::sor<name, text> {
  static constexpr const char* expected = "a word";
};
struct has_suffix : p::if_must<k_has, tag_operand> {
  static constexpr Kind kind = Kind::HasSuffix;
};
struct has_prefix : p::if_must<k_has, name> {
  static constexpr Kind kind = Kind::HasPrefix;
};
struct rises_suffix : p::seq<k_rises> {
  static constexpr Kind kind = Kind::Rises;
};
struct single_equal {
  static constexpr const char* expected = kSlipSingleEqual;
};
struct slip_equal
    : p::seq<p::at<p::one<'='>, p::not_at<p::one<'=', '>'>>>, p::raise<single_equal>> {};
struct suffix
    : p::sor<p::if_must<compare_op, term>, in_suffix, has_suffix, rises_suffix, slip_equal> {};
struct comparison : p::sor<has_prefix, p::seq<sum, p::opt<suffix>>> {
  static constexpr Kind kind = Kind::Comparison;
};

struct k_not : kw<'n', 'o', 't'> {};
struct negation : p::seq<k_not, deeper<p::must<condition>>> {
  static constexpr Kind kind = Kind::Not;
};
struct condition : p::sor<negation, comparison> {
  static constexpr const char* expected = "an expression";
};
struct and_expr : p::list_must<condition, k_and> {
  static constexpr Kind kind = Kind::And;
  static constexpr const char* expected = "an expression";
};
struct or_expr : p::list_must<and_expr, k_or> {
  static constexpr Kind kind = Kind::Or;
};

// `A..B`, and `A` or `A..B`
struct range : p::seq<term, p::must<dots>, p::must<term>> {
  static constexpr Kind kind = Kind::Range;
  static constexpr const char* expected = "a range, such as `0s..60s`";
};
struct point_or_range : p::seq<term, p::opt<p::if_must<dots, term>>> {
  static constexpr Kind kind = Kind::Range;
  static constexpr const char* expected =
      "a point or a range of time, such as `seen - 60s .. seen`";
};

// `{ name: value, "quoted": { ... }, list: [ ... ] }`
struct pair_name : p::sor<word, text> {
  static constexpr const char* expected = "the name of a field";
};
struct pair_value : p::sor<object, list_value, expr> {
  static constexpr const char* expected = "a value";
};
struct pair : p::seq<pair_name, p::must<colon>, p::must<pair_value>> {
  static constexpr Kind kind = Kind::Pair;
  static constexpr const char* expected = "`name: value`";
};
struct object_end : close_brace {
  static constexpr const char* expected = "`,` or `}`";
};
struct object
    : p::seq<open_brace, deeper<p::opt<p::list<pair, comma>, p::opt<comma>>, p::must<object_end>>> {
  static constexpr Kind kind = Kind::Object;
  static constexpr const char* expected = "fields in braces";
};

}  // namespace attrib::dsl::grammar
