#pragma once

// Blanks, words, names and literals.
//
// A rule may say three things about itself:
//   kind      it leaves a node of this kind in the syntax tree
//   expected  what to tell when `must` asked for it in vain; after a line end in the text, a hint
//   nests     it counts as a level of nesting, and levels are limited
// `must` needs `expected`; the compiler refuses it otherwise.

#include <tao/pegtl.hpp>

#include "dsl/syntax.h"

namespace attrib::dsl::grammar {

namespace p = tao::pegtl;

// What a token is made of, without the blanks after it: a node ends where its last token ends.
template <typename... R>
struct token : p::seq<R...> {};

struct comment : p::seq<p::one<'#'>, p::star<p::not_one<'\n'>>> {};
struct gap : p::star<p::sor<p::plus<p::one<' ', '\t', '\r', '\n'>>, comment>> {};
template <typename... R>
struct tok : p::seq<token<R...>, gap> {};

template <char... C>
struct bare_word : p::seq<p::string<C...>, p::not_at<p::identifier_other>> {};
template <char... C>
struct kw : tok<bare_word<C...>> {};

struct bare_name : p::list<p::identifier, p::one<'.'>> {};

// `a.b.c`
struct name : tok<bare_name> {
  static constexpr Kind kind = Kind::Name;
  static constexpr const char* expected = "a name";
};
// `a`
struct word : tok<p::identifier> {
  static constexpr Kind kind = Kind::Name;
  static constexpr const char* expected = "a word";
};

struct hex_escape : p::seq<p::one<'x'>, p::xdigit, p::xdigit> {};
struct escape : p::sor<p::one<'"', '\\', 'n', 't', '{', '}'>, hex_escape> {
  static constexpr const char* expected = kSlipEscape;
};
struct closing_quote : p::one<'"'> {
  static constexpr const char* expected = "`\"` at the end of the text";
};
struct text_body
    : p::star<p::sor<p::seq<p::one<'\\'>, p::must<escape>>, p::not_one<'"', '\\', '\n'>>> {};
struct text : tok<p::one<'"'>, text_body, p::must<closing_quote>> {
  static constexpr Kind kind = Kind::Text;
  static constexpr const char* expected = "a text in double quotes";
};

// A number with whatever sticks to it: `149`, `0x95`, `1.5`, `250ms`, `64MiB`, `95%`. The builder
// reads the unit, so that a wrong one gets a message of its own.
struct bare_number : p::seq<p::plus<p::digit>, p::opt<p::one<'.'>, p::plus<p::digit>>,
                            p::star<p::identifier_other>, p::opt<p::one<'%'>>> {};
struct number : tok<bare_number> {
  static constexpr Kind kind = Kind::Number;
  static constexpr const char* expected = "a number";
};
struct integer : tok<p::opt<p::one<'-'>>, bare_number> {
  static constexpr Kind kind = Kind::Number;
  static constexpr const char* expected = "a whole number";
};
struct duration : tok<p::opt<p::one<'-'>>, bare_number> {
  static constexpr Kind kind = Kind::Duration;
  static constexpr const char* expected = "a duration such as `60s`";
};
struct truth : tok<p::sor<bare_word<'t', 'r', 'u', 'e'>, bare_word<'f', 'a', 'l', 's', 'e'>>> {
  static constexpr Kind kind = Kind::Truth;
};
struct version : tok<p::digit, p::star<p::sor<p::identifier_other, p::one<'.', '-', '+'>>>> {
  static constexpr Kind kind = Kind::Version;
  static constexpr const char* expected = "the pack's version, such as `1.0.0`";
};

// What stands inside brackets or after an operator: one level of nesting.
template <typename... R>
struct deeper : p::seq<R...> {
  static constexpr bool nests = true;
};

struct comma : tok<p::one<','>> {};
struct bar : tok<p::one<'|'>> {};
struct colon : tok<p::one<':'>> {
  static constexpr const char* expected = "`:`";
};
struct equal_sign : tok<p::one<'='>> {
  static constexpr const char* expected = "`=`";
};
struct dots : tok<p::string<'.', '.'>> {
  static constexpr const char* expected = "`..` and the upper end of the range";
};
struct arrow : tok<p::string<'=', '>'>> {
  static constexpr const char* expected = "`=>`";
};
struct open_brace : tok<p::one<'{'>> {
  static constexpr const char* expected = "`{`";
};
struct close_brace : tok<p::one<'}'>> {
  static constexpr const char* expected = "`}`";
};
struct open_bracket : tok<p::one<'['>> {
  static constexpr const char* expected = "`[`";
};
struct close_bracket : tok<p::one<']'>> {
  static constexpr const char* expected = "`,` or `]`";
};
struct open_paren : tok<p::one<'('>> {
  static constexpr const char* expected = "`(`";
};
struct close_paren : tok<p::one<')'>> {
  static constexpr const char* expected = "`)`";
};
// The end of a block whose parts begin with clause words.
struct block_end : close_brace {
  static constexpr const char* expected = kClauseOrEnd;
};

template <typename Clause>
struct block : p::seq<p::must<open_brace>, p::star<Clause>, p::must<block_end>> {};

// Words that more than one construct uses.
struct k_and : kw<'a', 'n', 'd'> {};
struct k_as : kw<'a', 's'> {
  static constexpr const char* expected = "`as`";
};
struct k_at : kw<'a', 't'> {};
struct k_begin : kw<'b', 'e', 'g', 'i', 'n'> {};
struct k_emit : kw<'e', 'm', 'i', 't'> {
  static constexpr const char* expected = "`emit`";
};
struct k_from : kw<'f', 'r', 'o', 'm'> {
  static constexpr const char* expected = "`from`";
};
struct k_gives : kw<'g', 'i', 'v', 'e', 's'> {};
struct k_in : kw<'i', 'n'> {};
struct k_next : kw<'n', 'e', 'x', 't'> {};
struct k_of : kw<'o', 'f'> {
  static constexpr const char* expected = "`of`";
};
struct k_on : kw<'o', 'n'> {
  static constexpr const char* expected = "`on`";
};
struct k_or : kw<'o', 'r'> {};
struct k_role : kw<'r', 'o', 'l', 'e'> {};
struct k_where : kw<'w', 'h', 'e', 'r', 'e'> {};

// `a | b`
struct alternatives : p::list_must<name, bar> {
  static constexpr const char* expected = "a name";
};
// `kernel or syslog`, `kernel, syslog`
struct source_list : p::list_must<word, p::sor<comma, k_or>> {
  static constexpr Kind kind = Kind::Sources;
  static constexpr const char* expected = "a source such as `kernel`, `app` or `any`";
};

}  // namespace attrib::dsl::grammar
