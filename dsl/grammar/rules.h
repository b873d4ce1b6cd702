#pragma once

// Rules: decode, infer, demote, outcome, ambiguous, and let and override.

#include "dsl/grammar/table.h"

namespace attrib::dsl::grammar {

struct k_lookup : kw<'l', 'o', 'o', 'k', 'u', 'p'> {};
struct k_when : kw<'w', 'h', 'e', 'n'> {};
struct k_confidence : kw<'c', 'o', 'n', 'f', 'i', 'd', 'e', 'n', 'c', 'e'> {};

struct expr_keys : p::list_must<expr, comma> {
  static constexpr const char* expected = "the look-up's keys";
};
struct table_name : name {
  static constexpr const char* expected = "the table's name";
};
struct row_variable : word {
  static constexpr const char* expected = "a name for the row";
};
struct lookup
    : p::if_must<k_lookup, table_name, open_bracket, expr_keys, close_bracket, k_as, row_variable> {
  static constexpr Kind kind = Kind::Lookup;
};
struct when : p::if_must<k_when, expr> {
  static constexpr Kind kind = Kind::When;
};
struct band : word {
  static constexpr const char* expected = "`hint`, `possible`, `likely` or `certain`";
};
struct confidence : p::if_must<k_confidence, band> {
  static constexpr Kind kind = Kind::Confidence;
};

// `emit SYMPTOM [at E] [{ ... }]`, then what stands for the type's own. A dotted name, a text or a
// block after a name is an entity whose `at` was forgotten.
struct missing_at {
  static constexpr const char* expected = kSlipMissingAt;
};
struct bare_entity : p::sor<p::seq<p::identifier, p::one<'.'>, bare_name>,
                            p::seq<p::identifier, gap, p::one<'{'>>, p::one<'"'>> {};
struct slip_at : p::seq<p::at<bare_entity>, p::raise<missing_at>> {};
struct emit_override_word
    : p::sor<clause_word<'r', 'o', 'l', 'e'>, clause_word<'d', 'o', 'm', 'a', 'i', 'n'>,
             clause_word<'a', 'c', 't', 'i', 'o', 'n'>, clause_word<'r', 'e', 't', 'r', 'y'>,
             clause_word<'b', 'l', 'a', 'm', 'e'>,
             clause_word<'s', 'e', 'v', 'e', 'r', 'i', 't', 'y'>,
             clause_word<'t', 'i', 't', 'l', 'e'>> {};
struct emit_override : p::seq<emit_override_word, p::must<term>> {
  static constexpr Kind kind = Kind::EmitOverride;
};
struct emit : p::seq<k_emit, p::must<symptom_name>, p::sor<at_part, slip_at, p::success>,
                     p::opt<object>, p::star<p::sor<emit_override, begin_part>>> {
  static constexpr Kind kind = Kind::Emit;
  static constexpr const char* expected = "`emit` and a symptom";
};

struct k_decode : kw<'d', 'e', 'c', 'o', 'd', 'e'> {};
struct on_variable : p::if_must<k_on, variable> {};
struct decode_clause : p::sor<on_variable, lookup, when, emit, confidence, references> {};
struct decode : p::seq<p::if_must<k_decode, rule_name>, block<decode_clause>> {
  static constexpr Kind kind = Kind::Decode;
};

struct k_absent : kw<'a', 'b', 's', 'e', 'n', 't'> {};
struct k_by : kw<'b', 'y'> {
  static constexpr const char* expected = "`by`";
};
struct k_covered : kw<'c', 'o', 'v', 'e', 'r', 'e', 'd'> {
  static constexpr const char* expected = "`covered by` and the sources that would have shown it";
};
struct k_during : kw<'d', 'u', 'r', 'i', 'n', 'g'> {
  static constexpr const char* expected =
      "`during` and a range of time, such as `during w.begin - 1h .. w.seen`";
};
struct k_each : kw<'e', 'a', 'c', 'h'> {};
struct k_infer : kw<'i', 'n', 'f', 'e', 'r'> {};
struct k_uncovered : kw<'u', 'n', 'c', 'o', 'v', 'e', 'r', 'e', 'd'> {};
struct k_unknown : kw<'u', 'n', 'k', 'n', 'o', 'w', 'n'> {};
struct k_unsure : kw<'u', 'n', 's', 'u', 'r', 'e'> {};
struct member_set : p::if_must<k_in, term> {
  static constexpr Kind kind = Kind::In;
};
struct each : p::seq<k_each, p::must<bare_variable>, p::opt<member_set>, p::opt<where_part>> {
  static constexpr Kind kind = Kind::Each;
};
struct of_entity : p::if_must<k_of, term> {
  static constexpr Kind kind = Kind::Of;
};
struct absent : p::seq<k_absent, p::must<variable>, p::must<k_during>, p::must<range>,
                       p::must<k_covered>, p::must<k_by>, p::must<source_list>, p::opt<of_entity>> {
  static constexpr Kind kind = Kind::Absent;
};
struct on_unknown : p::if_must<k_unknown, emit> {
  static constexpr Kind kind = Kind::OnUnknown;
};
struct on_unsure : p::if_must<k_unsure, emit> {
  static constexpr Kind kind = Kind::OnUnsure;
};
struct on_uncovered : p::if_must<k_uncovered, emit> {
  static constexpr Kind kind = Kind::OnUncovered;
};
struct infer_clause : p::sor<each, absent, when, lookup, emit, on_unknown, on_unsure, on_uncovered,
                             confidence, references> {};
struct infer : p::seq<p::if_must<k_infer, rule_name>, block<infer_clause>> {
  static constexpr Kind kind = Kind::Infer;
};

struct k_because : kw<'b', 'e', 'c', 'a', 'u', 's', 'e'> {};
struct k_cause : kw<'c', 'a', 'u', 's', 'e'> {};
struct k_demote : kw<'d', 'e', 'm', 'o', 't', 'e'> {};
struct k_effect : kw<'e', 'f', 'f', 'e', 'c', 't'> {};
struct k_job : kw<'j', 'o', 'b'> {
  static constexpr const char* expected = "`job`";
};
struct k_param : kw<'p', 'a', 'r', 'a', 'm'> {};
struct k_range : kw<'r', 'a', 'n', 'g', 'e'> {};
struct k_window_from : k_from {
  static constexpr const char* expected =
      "`from ... to ...` after the window\nwrite `within A..B from c.begin to e.begin`";
};
struct k_to : kw<'t', 'o'> {
  static constexpr const char* expected =
      "`to` and the point where the window ends\nwrite `within A..B from c.begin to e.begin`";
};
struct point : name {
  static constexpr const char* expected = "a point of the cause or the effect, such as `c.begin`";
};
struct param : p::seq<k_param, p::must<word>, p::must<equal_sign>, p::must<term>,
                      p::opt<p::if_must<k_range, range>>> {
  static constexpr Kind kind = Kind::Param;
};
struct cause : p::if_must<k_cause, variable> {
  static constexpr Kind kind = Kind::Cause;
};
struct effect : p::if_must<k_effect, variable> {
  static constexpr Kind kind = Kind::Effect;
};
struct within : p::if_must<k_within, range, k_window_from, point, k_to, point> {
  static constexpr Kind kind = Kind::Within;
};
struct because : p::if_must<k_because, text> {
  static constexpr Kind kind = Kind::Because;
};
struct of_job : p::if_must<k_of, k_job> {
  static constexpr Kind kind = Kind::OfJob;
};
struct demote_clause
    : p::sor<param, cause, effect, where_part, within, because, of_job, references> {};
struct demote : p::seq<p::if_must<k_demote, rule_name>, block<demote_clause>> {
  static constexpr Kind kind = Kind::Demote;
};

struct k_attempt : kw<'a', 't', 't', 'e', 'm', 'p', 't'> {
  static constexpr const char* expected = "`attempt`";
};
struct k_outcome : kw<'o', 'u', 't', 'c', 'o', 'm', 'e'> {};
struct k_rank : kw<'r', 'a', 'n', 'k'> {};
struct ended : p::seq<bare_variable, p::opt<p::if_must<k_of, k_attempt>>, p::opt<where_part>> {
  static constexpr Kind kind = Kind::Variable;
  static constexpr const char* expected = "a variable, such as `x: TYPE`";
};
struct ending : p::if_must<k_gives, word> {
  static constexpr Kind kind = Kind::Gives;
};
struct rank_number : p::if_must<k_rank, integer> {
  static constexpr Kind kind = Kind::Rank;
};
struct outcome_clause
    : p::sor<p::if_must<k_on, ended>, when, ending, rank_number, emit, references> {};
struct outcome : p::seq<p::if_must<k_outcome, rule_name>, block<outcome_clause>> {
  static constexpr Kind kind = Kind::Outcome;
};

struct k_ambiguous : kw<'a', 'm', 'b', 'i', 'g', 'u', 'o', 'u', 's'> {};
struct k_among : kw<'a', 'm', 'o', 'n', 'g'> {};
struct k_ask : kw<'a', 's', 'k'> {};
struct k_report : kw<'r', 'e', 'p', 'o', 'r', 't'> {};
struct k_root : kw<'r', 'o', 'o', 't'> {
  static constexpr const char* expected = "`root of job`";
};
struct k_verdict : kw<'v', 'e', 'r', 'd', 'i', 'c', 't'> {};
struct tied_variable : word {
  static constexpr const char* expected =
      "the variables of the tied roots, such as `a, b: root of job`";
};
struct tied_variables : p::list_must<tied_variable, comma> {
  static constexpr const char* expected =
      "the variables of the tied roots, such as `a, b: root of job`";
};
struct among : p::if_must<k_among, tied_variables, colon, k_root, k_of, k_job> {
  static constexpr Kind kind = Kind::Among;
};
struct verdict_word : p::if_must<k_verdict, word> {
  static constexpr Kind kind = Kind::VerdictWord;
};
struct report : p::if_must<k_report, text> {
  static constexpr Kind kind = Kind::Report;
};
struct ask : p::if_must<k_ask, text> {
  static constexpr Kind kind = Kind::Ask;
};
struct ambiguous_clause : p::sor<among, when, verdict_word, report, ask, references> {};
struct ambiguous : p::seq<p::if_must<k_ambiguous, rule_name>, block<ambiguous_clause>> {
  static constexpr Kind kind = Kind::Ambiguous;
};

struct k_let : kw<'l', 'e', 't'> {};
struct parameter : p::seq<word, p::must<colon>, p::must<type>> {
  static constexpr Kind kind = Kind::Field;
  static constexpr const char* expected = "a parameter, such as `c: u16`";
};
struct let
    : p::seq<p::if_must<k_let, rule_name, open_paren>, p::opt<p::list_must<parameter, comma>>,
             p::must<close_paren, equal_sign, expr>> {
  static constexpr Kind kind = Kind::Let;
};

// An override is refused later; here it only has to end where its block ends.
struct k_override : kw<'o', 'v', 'e', 'r', 'r', 'i', 'd', 'e'> {};
struct balanced;
struct stray
    : p::sor<comment, p::seq<p::one<'"'>, text_body, p::one<'"'>>, p::not_one<'{', '}', '"', '#'>> {
};
struct balanced
    : p::seq<p::one<'{'>, deeper<p::star<p::sor<stray, balanced>>, p::must<close_brace>>> {};
struct override_body : p::seq<balanced> {
  static constexpr Kind kind = Kind::OverrideBody;
  static constexpr const char* expected = "`{`";
};
struct rule_reference : name {
  static constexpr const char* expected = "the full name of a rule";
};
struct override_block : p::if_must<k_override, rule_reference, override_body> {
  static constexpr Kind kind = Kind::Override;
};

}  // namespace attrib::dsl::grammar
