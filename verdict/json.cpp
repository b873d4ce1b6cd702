#include <optional>

#include "verdict/format.h"
#include "verdict/json_writer.h"
#include "verdict/print.h"

namespace attrib::verdict {
namespace {

class Printer {
 public:
  Printer(const Verdict& verdict, const JsonOptions& options, const Sink& sink)
      : v_(verdict), options_(options), out_(sink) {}

  void print() {
    out_.begin_object();
    word("schema", "attrib.verdict/1");
    put_workload();
    put_program();
    put_ending();
    word("domain", model::word(v_.domain));
    const bool attributed = v_.status == model::VerdictStatus::Attributed && v_.confidence;
    word("confidence", attributed ? model::word(*v_.confidence) : "");
    text("summary", v_.summary);
    put_causes();
    texts("affected_nodes", v_.affected_nodes);
    list("symptoms", v_.symptoms, [&](const Symptom& s) { put_symptom(s); });
    put_alternatives();
    list("suspects", v_.suspects, [&](const EntityRef& e) { put_entity(e); });
    list("where", v_.where, [&](const WhereItem& item) { put_where(item); });
    texts("reports", v_.reports);
    texts("ask", v_.ask);
    list("coverage", v_.coverage, [&](const CoverageItem& item) { put_coverage(item); });
    out_.key("advice");
    out_.begin_object();
    word("retry", model::word(v_.retry));
    texts("exclude_nodes", v_.exclude_nodes);
    out_.end_object();
    out_.key("counters");
    out_.begin_object();
    for (const auto& [name, value] : v_.counters) number(name, value);
    out_.end_object();
    out_.end_object();
    out_.finish();
  }

 private:
  // `name`: a literal, unless the field has a name of the rules'.
  template <typename Name>
  void text(const Name& name, std::string_view value) {
    out_.key(name);
    out_.text(value);
  }
  // Of the vocabulary; empty: null.
  template <typename Name>
  void word(const Name& name, std::string_view value) {
    out_.key(name);
    value.empty() ? out_.null() : out_.text(value);
  }
  template <typename Name>
  void text_or_null(const Name& name, std::string_view value) {
    out_.key(name);
    value.empty() ? out_.null() : out_.text(value);
  }
  template <typename Name>
  void maybe(const Name& name, const std::optional<std::string>& value) {
    out_.key(name);
    value ? out_.text(*value) : out_.null();
  }
  template <typename Name>
  void maybe(const Name& name, const std::optional<std::int64_t>& value) {
    out_.key(name);
    value ? out_.number(*value) : out_.null();
  }
  template <typename Name, typename T>
  void number(const Name& name, T value) {
    out_.key(name);
    out_.number(value);
  }
  template <typename Name>
  void flag(const Name& name) {
    out_.key(name);
    out_.boolean(true);
  }
  template <typename Name, typename T, typename Put>
  void list(const Name& name, const std::vector<T>& items, const Put& put) {
    out_.key(name);
    out_.begin_array();
    for (const T& item : items) put(item);
    out_.end_array();
  }
  template <typename Name>
  void texts(const Name& name, const std::vector<std::string>& items) {
    list(name, items, [&](const std::string& item) { out_.text(item); });
  }

  void time(model::Nanos at) { out_.text(rfc3339(at)); }
  template <typename Name>
  void interval(const Name& name, model::Nanos lo, model::Nanos hi) {
    out_.key(name);
    out_.begin_array();
    time(lo);
    time(hi);
    out_.end_array();
  }
  template <typename Name>
  void moment(const Name& name, const model::Moment& m) {
    if (m.known) return interval(name, m.lo, m.hi);
    out_.key(name);
    out_.null();
  }
  template <typename Name>
  void point(const Name& name, const model::Moment& m) {
    out_.key(name);
    m.known ? time(stamp(m)) : out_.null();
  }

  void put_entity(const EntityRef& e) {
    out_.begin_object();
    word("kind", model::word(e.kind));
    // The attempt and the job have no name of their own, so theirs is null too.
    text_or_null("id", e.id);
    out_.end_object();
  }

  // Numbers stay numbers; what would lose something as one (bit words, decimals) or needs its unit
  // is text.
  void put_field(const NamedField& field) {
    const model::Constant& v = field.value;
    out_.key(field.name);
    if (v.kind == model::ValueKind::Int && field.reader != model::Reader::Bits32) {
      out_.number(v.number);
    } else if (v.kind == model::ValueKind::Truth) {
      v.number == 1 ? out_.null() : out_.boolean(v.number == 2);
    } else if (v.kind == model::ValueKind::String) {
      out_.text(v.text);
    } else {
      out_.text(model::to_text(v, field.reader));
    }
  }

  void put_fields(const Symptom& s) {
    out_.key("fields");
    out_.begin_object();
    for (const NamedField& field : s.fields) put_field(field);
    out_.end_object();
  }

  void put_evidence(const Symptom& s) {
    out_.key("evidence");
    out_.begin_array();
    for (const std::string& id : s.evidence) out_.text(id);
    for (const AbsentEvidence& a : s.absences) {
      out_.begin_object();
      text("absent", a.absent);
      text("of", a.of);
      interval("during", a.from, a.to);
      word("coverage", a.covered ? "covered" : "not covered");
      out_.end_object();
    }
    out_.end_array();
    if (s.evidence_truncated) flag("evidence_truncated");
  }

  void put_place(const Symptom& s) {
    out_.key("entity");
    put_entity(s.entity);
    maybe("node", s.node);
    maybe("rank", s.rank);
    maybe("gpu", s.gpu);
  }

  template <typename Name>
  void put_folded(const Symptom& s, const Name& count) {
    if (s.folded <= 1) return;
    number(count, s.folded);
    out_.key("ranks");
    out_.text(rank_ranges(s.ranks));
    out_.key("nodes");
    out_.begin_object();
    number("total", s.nodes_total);
    texts("list", s.nodes);
    out_.end_object();
  }

  // Leaves the object open.
  void put_cause(std::uint32_t index) {
    const Symptom& s = v_.symptoms.at(index);
    out_.begin_object();
    text("symptom", s.symptom);
    text("title", title_of(s));
    word("domain", model::word(s.domain));
    word("confidence", model::word(s.confidence));
    put_place(s);
    put_fields(s);
    moment("begin", s.begin);
    point("first", s.begin);
    point("last", s.last);
    number("count", s.count);
    put_folded(s, "folded");
    put_evidence(s);
    text("rule", s.proof.rule);
    text("action", s.action);
    text("owner", s.owner);
    word("retry", model::word(s.retry));
    number("index", std::uint64_t{index});
  }

  void put_causes() {
    list("root_causes", v_.root_causes, [&](std::uint32_t index) {
      put_cause(index);
      out_.end_object();
    });
  }

  // One item a head member; members of one candidate share its number.
  void put_alternatives() {
    std::uint64_t number_of = 0;
    list("alternatives", v_.alternatives, [&](const Candidate& candidate) {
      for (const std::uint32_t index : candidate.members) {
        put_cause(index);
        number("candidate", number_of);
        text("why", candidate.why);
        out_.end_object();
      }
      ++number_of;
    });
  }

  void put_demotion(const Demotion& d) {
    out_.begin_object();
    number("cause", std::uint64_t{d.cause});
    text("rule", d.rule);
    text("because", d.because);
    word("strength", d.strong ? "strong" : "weak");
    if (options_.explain) {
      out_.key("margin");
      out_.begin_object();
      number("least_ns", d.margin_lo);
      number("most_ns", d.margin_hi);
      out_.end_object();
    }
    out_.end_object();
  }

  void put_proof(const Proof& proof) {
    out_.key("proof");
    out_.begin_object();
    text("rule", proof.rule);
    texts("extracts", proof.extracts);
    text_or_null("table_row", proof.table_row);
    list("inputs", proof.inputs, [&](std::uint32_t input) { out_.number(std::uint64_t{input}); });
    out_.end_object();
  }

  void put_symptom(const Symptom& s) {
    out_.begin_object();
    text("symptom", s.symptom);
    word("role", to_text(s.state));
    word("kind", model::word(s.role));
    word("domain", model::word(s.domain));
    word("severity", model::word(s.severity));
    word("confidence", model::word(s.confidence));
    put_place(s);
    if (!s.fields.empty()) put_fields(s);
    moment("begin", s.begin);
    point("last", s.last);
    put_folded(s, "count");  // Of a symptom alone, only root causes say how often it repeated.
    put_evidence(s);
    if (!s.demoted_by.empty()) {
      list("demoted_by", s.demoted_by, [&](const Demotion& d) { put_demotion(d); });
    }
    if (options_.explain) put_proof(s.proof);
    out_.end_object();
  }

  void put_where(const WhereItem& item) {
    out_.begin_object();
    maybe("rank", item.rank);
    maybe("node", item.node);
    maybe("gpu", item.gpu);
    out_.key("entity");
    put_entity(item.entity);
    text("why", item.why);
    texts("evidence", item.evidence);
    out_.end_object();
  }

  void put_coverage(const CoverageItem& item) {
    out_.begin_object();
    word("source", model::word(item.source));
    text_or_null("node", item.node);
    text("status", item.status);
    text("reason", item.reason);
    out_.end_object();
  }

  void put_workload() {
    out_.key("workload");
    out_.begin_object();
    text_or_null("id", v_.workload_id);
    maybe("attempt", v_.attempt);
    out_.end_object();
  }

  void put_program() {
    out_.key("program");
    out_.begin_object();
    out_.key("packs");
    out_.begin_object();
    for (const auto& [name, version] : v_.packs) text(name, version);
    out_.end_object();
    text("digest", options_.mask_digest ? "sha256:masked" : v_.program_digest);
    out_.key("overrides");
    out_.begin_array();
    out_.end_array();
    out_.end_object();
  }

  void put_ending() {
    word("outcome", model::word(v_.outcome));
    list("endings", v_.endings, [&](const Ending& e) {
      out_.begin_object();
      text("rule", e.rule);
      word("outcome", model::word(e.outcome));
      number("rank", e.rank);
      out_.end_object();
    });
    word("status", model::word(v_.status));
    if (!v_.provisional) return;
    flag("provisional");
    list("incomplete", v_.incomplete, [&](const Incomplete& i) {
      out_.begin_object();
      text("rule", i.rule);
      text("factor", i.factor);
      number("limit", i.limit);
      out_.end_object();
    });
  }

  const Verdict& v_;
  JsonOptions options_;
  JsonWriter out_;
};

}  // namespace

void write_json(const Verdict& verdict, const JsonOptions& options, const Sink& sink) {
  Printer(verdict, options, sink).print();
}

std::string to_json(const Verdict& verdict, const JsonOptions& options) {
  std::string out;
  write_json(verdict, options, [&out](std::string_view piece) { out += piece; });
  return out;
}

}  // namespace attrib::verdict
