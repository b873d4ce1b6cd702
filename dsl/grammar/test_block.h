#pragma once

// `test` blocks: a made-up job and what its verdict must be.

#include "dsl/grammar/rules.h"

namespace attrib::dsl::grammar {

struct k_clock : kw<'c', 'l', 'o', 'c', 'k'> {};
struct k_covers : kw<'c', 'o', 'v', 'e', 'r', 's'> {};
struct k_error : kw<'e', 'r', 'r', 'o', 'r'> {
  static constexpr const char* expected = "`error` and how far the clock may be off";
};
struct k_log : kw<'l', 'o', 'g'> {};
struct k_nothing : kw<'n', 'o', 't', 'h', 'i', 'n', 'g'> {};
struct k_offset : kw<'o', 'f', 'f', 's', 'e', 't'> {
  static constexpr const char* expected = "`offset` and how far the clock runs ahead";
};
struct k_source : kw<'s', 'o', 'u', 'r', 'c', 'e'> {};
struct k_status : kw<'s', 't', 'a', 't', 'u', 's'> {};

struct node_text : text {
  static constexpr const char* expected = "a node in double quotes";
};
struct rank_digits : integer {
  static constexpr const char* expected = "the number of a rank";
};
struct k_placed_rank : k_rank {
  static constexpr const char* expected = "`rank`";
};
struct gpu_text : p::if_must<k_gpu, text> {
  static constexpr Kind kind = Kind::Gpu;
};
struct job_fields : object {
  static constexpr const char* expected =
      "the job in braces, such as `{ world: 16, nodes: [\"n1\"] }`";
};
struct job : p::if_must<k_job, job_fields> {
  static constexpr Kind kind = Kind::Job;
};
struct place
    : p::seq<p::if_must<k_place, k_placed_rank, rank_digits, k_on, node_text>, p::opt<gpu_text>> {
  static constexpr Kind kind = Kind::Place;
};
struct clock : p::seq<p::if_must<k_clock, node_text, k_offset, duration>,
                      p::opt<p::if_must<k_error, duration>>> {
  static constexpr Kind kind = Kind::Clock;
};

struct of_node : p::seq<text> {
  static constexpr Kind kind = Kind::OfNode;
};
struct on_node : p::if_must<k_on, node_text> {
  static constexpr Kind kind = Kind::OnNode;
};
struct of_rank : p::seq<k_rank, p::must<rank_digits>, p::opt<on_node>> {
  static constexpr Kind kind = Kind::OfRank;
};
struct speaker : p::sor<of_node, of_rank> {
  static constexpr const char* expected = "a node in double quotes, or `rank N`";
};
struct of_speaker : p::if_must<k_of, speaker> {};
struct source_name : word {
  static constexpr const char* expected = "a source such as `kernel` or `app`";
};
struct source_status : p::if_must<k_status, word> {
  static constexpr Kind kind = Kind::SourceStatus;
};
struct covers : p::if_must<k_covers, duration, dots, duration> {
  static constexpr Kind kind = Kind::Covers;
};
struct source_entry : p::seq<k_source, p::must<source_name>, p::opt<of_speaker>,
                             p::star<p::sor<source_status, covers>>> {
  static constexpr Kind kind = Kind::SourceEntry;
};

struct expect_nothing : p::seq<k_nothing> {
  static constexpr Kind kind = Kind::ExpectNothing;
};
struct expect_event : p::seq<name, p::opt<object>> {
  static constexpr Kind kind = Kind::ExpectEvent;
};
struct extracted : p::sor<expect_nothing, expect_event> {
  static constexpr const char* expected = "the extract that matches, or `nothing`";
};
struct shown_line : p::sor<text, object> {
  static constexpr const char* expected =
      "a line in double quotes, or `{ ... }` for a metric or a record";
};
struct test_line : p::seq<duration, p::must<shown_line>, p::star<p::if_must<arrow, extracted>>> {
  static constexpr Kind kind = Kind::TestLine;
};
struct lines_end : close_brace {
  static constexpr const char* expected = "the time of the next line, such as `60s`, or `}`";
};
struct test_lines : p::seq<p::must<open_brace>, p::star<test_line>, p::must<lines_end>> {};
struct log : p::seq<k_log, p::must<source_name>, p::opt<of_speaker>, test_lines> {
  static constexpr Kind kind = Kind::Log;
};
struct record_log : p::seq<k_record, p::must<source_name>, p::opt<of_speaker>, test_lines> {
  static constexpr Kind kind = Kind::RecordLog;
};
struct metric_log : p::seq<k_metric, p::opt<of_speaker>, test_lines> {
  static constexpr Kind kind = Kind::MetricLog;
};

struct where_node : p::seq<text> {
  static constexpr Kind kind = Kind::WhereNode;
};
struct where_rank : p::if_must<k_rank, rank_digits> {
  static constexpr Kind kind = Kind::WhereRank;
};
struct where_gpu : p::if_must<k_gpu, text> {
  static constexpr Kind kind = Kind::WhereGpu;
};
struct where_attempt : p::seq<k_attempt> {
  static constexpr Kind kind = Kind::WhereAttempt;
};
struct place_of : p::sor<where_node, where_rank, where_gpu, where_attempt> {
  static constexpr const char* expected =
      "a node in double quotes, `rank N`, `gpu \"...\"` or `attempt`";
};
struct at_place : p::if_must<k_at, place_of> {};
struct by_rule : p::if_must<k_by, rule_reference> {
  static constexpr Kind kind = Kind::By;
};
struct expected_role : p::if_must<k_role, word> {
  static constexpr Kind kind = Kind::Role;
};
struct details : p::star<p::sor<at_place, object, confidence, by_rule, expected_role>> {};
struct node_list
    : p::seq<open_bracket, p::opt<p::list_must<node_text, comma>>, p::must<close_bracket>> {
  static constexpr const char* expected = "nodes in brackets, such as `[\"n1\", \"n2\"]`";
};

struct k_affected : kw<'a', 'f', 'f', 'e', 'c', 't', 'e', 'd'> {};
struct k_between : kw<'b', 'e', 't', 'w', 'e', 'e', 'n'> {};
struct k_demoted : kw<'d', 'e', 'm', 'o', 't', 'e', 'd'> {};
struct k_domain : kw<'d', 'o', 'm', 'a', 'i', 'n'> {};
struct k_exclude : kw<'e', 'x', 'c', 'l', 'u', 'd', 'e'> {};
struct k_expect : kw<'e', 'x', 'p', 'e', 'c', 't'> {};
struct k_include : kw<'i', 'n', 'c', 'l', 'u', 'd', 'e'> {
  static constexpr const char* expected = "`include`";
};
struct k_no : kw<'n', 'o'> {};
struct k_roots : kw<'r', 'o', 'o', 't', 's'> {};
struct k_test : kw<'t', 'e', 's', 't'> {};
struct k_unattributed : kw<'u', 'n', 'a', 't', 't', 'r', 'i', 'b', 'u', 't', 'e', 'd'> {};

struct expect_root : p::seq<k_root, p::must<symptom_name>, details> {
  static constexpr Kind kind = Kind::ExpectRoot;
};
struct expect_roots_include : p::seq<k_roots, p::must<k_include>, p::must<symptom_name>, details> {
  static constexpr Kind kind = Kind::ExpectRootsInclude;
};
struct expect_demoted : p::seq<k_demoted, p::must<symptom_name>, details> {
  static constexpr Kind kind = Kind::ExpectDemoted;
};
struct expect_symptom : p::seq<k_symptom, p::must<symptom_name>, details> {
  static constexpr Kind kind = Kind::ExpectSymptom;
};
struct expect_no_ambiguous : p::seq<k_no, k_ambiguous> {
  static constexpr Kind kind = Kind::ExpectNoAmbiguous;
};
struct expect_no : p::seq<k_no, p::must<symptom_name>, p::opt<at_place>> {
  static constexpr Kind kind = Kind::ExpectNo;
};
struct expect_status : p::if_must<k_status, word> {
  static constexpr Kind kind = Kind::ExpectStatus;
};
struct expect_outcome : p::if_must<k_outcome, word> {
  static constexpr Kind kind = Kind::ExpectOutcome;
};
struct expect_domain : p::if_must<k_domain, word> {
  static constexpr Kind kind = Kind::ExpectDomain;
};
struct expect_affected : p::if_must<k_affected, node_list> {
  static constexpr Kind kind = Kind::ExpectAffected;
};
struct expect_exclude : p::if_must<k_exclude, node_list> {
  static constexpr Kind kind = Kind::ExpectExclude;
};
struct symptom_names : p::list_must<symptom_name, comma> {
  static constexpr const char* expected = "the names of the tied symptoms";
};
struct expect_ambiguous : p::seq<k_ambiguous, p::opt<p::if_must<k_between, symptom_names>>> {
  static constexpr Kind kind = Kind::ExpectAmbiguous;
};
struct expect_unattributed : p::seq<k_unattributed> {
  static constexpr Kind kind = Kind::ExpectUnattributed;
};
struct expect_ask : p::if_must<k_ask, text> {
  static constexpr Kind kind = Kind::ExpectAsk;
};
struct expectation
    : p::sor<expect_root, expect_roots_include, expect_demoted, expect_symptom, expect_no_ambiguous,
             expect_no, expect_status, expect_outcome, expect_domain, expect_affected,
             expect_exclude, expect_ambiguous, expect_unattributed, expect_ask> {
  static constexpr const char* expected =
      "an expectation: `root`, `roots include`, `demoted`, `symptom`, `no`, `status`, `outcome`, "
      "`domain`, `affected`, "
      "`exclude`, `ambiguous`, `unattributed` or `ask`";
};
struct expect : p::if_must<k_expect, expectation> {};
struct title : text {
  static constexpr const char* expected = "the test's title in double quotes";
};
struct test_clause : p::sor<job, place, clock, source_entry, log, record_log, metric_log, expect> {
};
struct test : p::seq<p::if_must<k_test, title>, block<test_clause>> {
  static constexpr Kind kind = Kind::Test;
};

}  // namespace attrib::dsl::grammar
