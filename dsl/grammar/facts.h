#pragma once

// Declarations about facts: pack, language, use, event, symptom and extract.

#include "dsl/grammar/expression.h"

namespace attrib::dsl::grammar {

struct k_language : kw<'l', 'a', 'n', 'g', 'u', 'a', 'g', 'e'> {};
struct k_pack : kw<'p', 'a', 'c', 'k'> {};
struct k_use : kw<'u', 's', 'e'> {};

struct pack_name : name {
  static constexpr const char* expected = "the pack's name, such as `nvidia.nvlink`";
};
struct pack : p::if_must<k_pack, pack_name, version> {
  static constexpr Kind kind = Kind::Pack;
};
struct language_number : integer {
  static constexpr const char* expected = "the number of the language, `1`";
};
struct language : p::if_must<k_language, language_number> {
  static constexpr Kind kind = Kind::Language;
};
struct used_packs : p::list_must<pack_name, comma> {
  static constexpr const char* expected = "the name of a pack";
};
struct use : p::if_must<k_use, used_packs> {
  static constexpr Kind kind = Kind::Use;
};

// Types: `u16`, `Gpu`, `(Fatal | Nonfatal)`, each perhaps with `?`.
struct words : p::seq<open_paren, p::must<alternatives>, p::must<close_paren>> {
  static constexpr Kind kind = Kind::Words;
};
struct optional_mark : tok<p::one<'?'>> {
  static constexpr Kind kind = Kind::Flag;
};
struct type : p::seq<p::sor<words, word>, p::opt<optional_mark>> {
  static constexpr Kind kind = Kind::Type;
  static constexpr const char* expected = "a type, such as `u16`, `word?` or `(A | B)`";
};
struct field : p::seq<word, p::must<type>> {
  static constexpr Kind kind = Kind::Field;
  static constexpr const char* expected = "a column, such as `code u16`";
};
struct on_kinds : p::if_must<k_on, alternatives> {
  static constexpr Kind kind = Kind::On;
  static constexpr const char* expected =
      "`on` and what it happens on\nwrite `on Node`, `on Gpu`, `on Rank`, ...";
};

struct k_event : kw<'e', 'v', 'e', 'n', 't'> {};
struct k_progress : kw<'p', 'r', 'o', 'g', 'r', 'e', 's', 's'> {};
struct progress : p::seq<k_progress> {
  static constexpr Kind kind = Kind::Flag;
};
struct event_name : word {
  static constexpr const char* expected = "the event's name, such as `StepDone`";
};
struct event : p::seq<p::if_must<k_event, event_name, on_kinds>, block<p::sor<progress, field>>> {
  static constexpr Kind kind = Kind::Event;
};

struct k_symptom : kw<'s', 'y', 'm', 'p', 't', 'o', 'm'> {};
struct symptom_name : name {
  static constexpr const char* expected = "the symptom's name, such as `nvlink.signal_integrity`";
};
struct value_list : p::sor<list_value, p::list_must<term, comma>> {
  static constexpr const char* expected = "a value";
};
template <char... C>
struct clause_word : tok<bare_word<C...>> {
  static constexpr Kind kind = Kind::Name;
};
struct symptom_clause_word
    : p::sor<
          clause_word<'r', 'o', 'l', 'e'>, clause_word<'d', 'o', 'm', 'a', 'i', 'n'>,
          clause_word<'b', 'l', 'a', 'm', 'e'>, clause_word<'k', 'e', 'y'>,
          clause_word<'q', 'u', 'i', 'e', 't'>, clause_word<'s', 'e', 'v', 'e', 'r', 'i', 't', 'y'>,
          clause_word<'t', 'i', 't', 'l', 'e'>, clause_word<'o', 'w', 'n', 'e', 'r'>,
          clause_word<'a', 'c', 't', 'i', 'o', 'n'>, clause_word<'r', 'e', 't', 'r', 'y'>,
          clause_word<'t', 'a', 'g', 's'>,
          clause_word<'r', 'e', 'f', 'e', 'r', 'e', 'n', 'c', 'e', 's'>, clause_word<'w', 'a', 's'>,
          clause_word<'d', 'e', 'p', 'r', 'e', 'c', 'a', 't', 'e', 'd'>> {};
struct locates_word : clause_word<'l', 'o', 'c', 'a', 't', 'e', 's'> {};
struct symptom_clause : p::sor<locates_word, p::seq<symptom_clause_word, p::must<value_list>>> {
  static constexpr Kind kind = Kind::SymptomClause;
};
struct symptom
    : p::seq<p::if_must<k_symptom, symptom_name, on_kinds>, block<p::sor<symptom_clause, field>>> {
  static constexpr Kind kind = Kind::Symptom;
};

struct k_address : kw<'a', 'd', 'd', 'r', 'e', 's', 's'> {};
struct k_alias : kw<'a', 'l', 'i', 'a', 's'> {};
struct k_any : kw<'a', 'n', 'y'> {};
struct k_extract : kw<'e', 'x', 't', 'r', 'a', 'c', 't'> {};
struct k_first : kw<'f', 'i', 'r', 's', 't'> {};
struct k_family : kw<'f', 'a', 'm', 'i', 'l', 'y'> {};
struct k_gpu : kw<'g', 'p', 'u'> {};
struct k_keep : kw<'k', 'e', 'e', 'p'> {};
struct k_keep_by : kw<'b', 'y'> {};
struct k_last : kw<'l', 'a', 's', 't'> {};
struct k_learn : kw<'l', 'e', 'a', 'r', 'n'> {};
struct k_line : kw<'l', 'i', 'n', 'e'> {};
struct k_lines : kw<'l', 'i', 'n', 'e', 's'> {
  static constexpr const char* expected = "`lines`";
};
struct k_member : kw<'m', 'e', 'm', 'b', 'e', 'r'> {};
struct k_metric : kw<'m', 'e', 't', 'r', 'i', 'c'> {};
struct k_place : kw<'p', 'l', 'a', 'c', 'e'> {};
struct k_record : kw<'r', 'e', 'c', 'o', 'r', 'd'> {};
struct k_regex : kw<'r', 'e', 'g', 'e', 'x'> {};
struct k_reject : kw<'r', 'e', 'j', 'e', 'c', 't'> {};
struct k_sample : kw<'s', 'a', 'm', 'p', 'l', 'e'> {};
struct k_set : kw<'s', 'e', 't'> {};
struct k_slow : kw<'s', 'l', 'o', 'w'> {};
struct k_start : kw<'s', 't', 'a', 'r', 't'> {};
struct k_within : kw<'w', 'i', 't', 'h', 'i', 'n'> {};
struct k_world : kw<'w', 'o', 'r', 'l', 'd'> {};

struct from_metric : p::seq<k_metric> {
  static constexpr Kind kind = Kind::Metric;
};
struct as_record : p::seq<k_record> {
  static constexpr Kind kind = Kind::Record;
};
struct origin : p::sor<from_metric, p::seq<source_list, p::opt<as_record>>> {
  static constexpr const char* expected =
      "a source such as `kernel`, `app` or `any`, `metric`, or `slurm record`";
};
struct capture : word {
  static constexpr const char* expected = "a capture, `node` or `rank`";
};
struct as_event : p::if_must<k_as, event_name> {
  static constexpr Kind kind = Kind::AsEvent;
};
struct learn_address : p::if_must<k_address, capture, k_of, capture> {
  static constexpr Kind kind = Kind::LearnAddress;
};
struct learn_place
    : p::seq<p::if_must<k_place, capture, k_on, capture>, p::opt<p::if_must<k_gpu, capture>>> {
  static constexpr Kind kind = Kind::LearnPlace;
};
struct learn_world : p::if_must<k_world, capture> {
  static constexpr Kind kind = Kind::LearnWorld;
};
struct learn_member : p::if_must<k_member, capture, k_of, capture> {
  static constexpr Kind kind = Kind::LearnMember;
};
struct learn_alias : p::if_must<k_alias, capture, k_of, capture> {
  static constexpr Kind kind = Kind::LearnAlias;
};
struct relation : p::sor<learn_address, learn_place, learn_world, learn_member, learn_alias> {
  static constexpr const char* expected = "`address`, `place`, `world`, `member` or `alias`";
};
struct makes : p::sor<as_event, p::if_must<k_learn, relation>> {
  static constexpr const char* expected = "`as` and an event, or `learn` and a relation";
};

struct start_mark : p::seq<k_start> {
  static constexpr Kind kind = Kind::Start;
};
struct regex_mark : p::seq<k_regex> {
  static constexpr Kind kind = Kind::Regex;
};
struct pattern : p::seq<p::opt<start_mark>, p::opt<regex_mark>, text> {
  static constexpr Kind kind = Kind::Pattern;
  static constexpr const char* expected = "a line in double quotes";
};
struct regex_pattern : p::seq<regex_mark, p::must<text>> {
  static constexpr Kind kind = Kind::Pattern;
};
struct within_lines : p::seq<k_within, p::must<integer>, p::must<k_lines>> {
  static constexpr Kind kind = Kind::WithinLines;
};
struct slow : p::if_must<k_slow, text> {
  static constexpr Kind kind = Kind::Slow;
};
struct line : p::seq<p::sor<p::if_must<k_line, pattern>, regex_pattern>,
                     p::star<p::if_must<k_next, pattern>>, p::star<p::sor<within_lines, slow>>> {
  static constexpr Kind kind = Kind::Line;
};
struct gives : p::if_must<k_gives, object> {
  static constexpr Kind kind = Kind::Gives;
};
struct shown : p::sor<p::seq<text, p::star<p::if_must<k_next, text>>>, object> {
  static constexpr const char* expected =
      "a line in double quotes, or `{ ... }` for a metric or a record";
};
struct sample : p::seq<k_sample, p::must<shown>, p::opt<gives>> {
  static constexpr Kind kind = Kind::Sample;
};
struct reject : p::if_must<k_reject, shown> {
  static constexpr Kind kind = Kind::Reject;
};
struct set : p::if_must<k_set, word, equal_sign, expr> {
  static constexpr Kind kind = Kind::Set;
};
struct at_part : p::if_must<k_at, term> {
  static constexpr Kind kind = Kind::At;
};
struct begin_part : p::if_must<k_begin, point_or_range> {
  static constexpr Kind kind = Kind::Begin;
};
struct family : p::if_must<k_family, word> {
  static constexpr Kind kind = Kind::Family;
};
struct keep_last : p::seq<k_keep, k_last> {
  static constexpr Kind kind = Kind::KeepLast;
};
struct keep_keys : p::list_must<word, comma> {
  static constexpr const char* expected = "captures, such as `code`";
};
struct keep_first : p::seq<k_keep, k_first, p::if_must<k_keep_by, keep_keys>> {
  static constexpr Kind kind = Kind::KeepFirst;
};
struct keep_what : p::sor<k_last, p::seq<k_first, k_keep_by>> {
  static constexpr const char* expected = "`last`, or `first by` and captures";
};
struct keep_neither : p::if_must<k_keep, keep_what> {};
// Where it is written: the sources a symptom or rule rests on.
struct k_references : kw<'r', 'e', 'f', 'e', 'r', 'e', 'n', 'c', 'e', 's'> {};
struct reference_list : p::list_must<text, comma> {
  static constexpr const char* expected = "where it is written, in double quotes";
};
struct references : p::if_must<k_references, reference_list> {
  static constexpr Kind kind = Kind::References;
};
struct rule_name : word {
  static constexpr const char* expected = "a name in lower case, such as `waits_behind_it`";
};
struct extract_clause
    : p::sor<line, sample, reject, set, at_part, begin_part, where_part, family, keep_last,
             keep_first, keep_neither, references> {};
struct extract
    : p::seq<p::if_must<k_extract, rule_name, k_from, origin, makes>, block<extract_clause>> {
  static constexpr Kind kind = Kind::Extract;
};

}  // namespace attrib::dsl::grammar
