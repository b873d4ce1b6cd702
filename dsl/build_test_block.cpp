#include <utility>

#include "dsl/build.h"

namespace attrib::dsl {
namespace {

using ExpectKind = Expectation::Kind;

// `of "node"`, `of rank 3 [on "node"]` among the children of a log or source.
template <typename T>
void read_speaker(const Node& child, T& into) {
  if (child.is(Kind::OfNode)) into.node = build_text(child.first());
  if (!child.is(Kind::OfRank)) return;
  into.rank = build_integer(child.first());
  if (const auto node = child.child(Kind::OnNode)) into.node = build_text(node->first());
}

TestPlace build_place(const Node& node) {
  TestPlace place;
  place.span = node.span();
  for (const Node& child : node.children()) {
    if (child.is(Kind::Number)) place.rank = build_integer(child);
    if (child.is(Kind::Text)) place.node = build_text(child);
    if (child.is(Kind::Gpu)) place.gpu = build_text(child.first());
  }
  return place;
}

TestClock build_clock(const Node& node) {
  const std::vector<Node> parts = node.children();
  return {build_text(parts[0]), build_duration(parts[1]),
          parts.size() > 2 ? build_duration(parts[2]) : 0, node.span()};
}

TestSource build_source(const Node& node) {
  TestSource source;
  source.span = node.span();
  for (const Node& child : node.children()) {
    read_speaker(child, source);
    if (child.is(Kind::Name)) source.source = build_name(child);
    if (child.is(Kind::SourceStatus))
      set_once(child, "status", source.status, build_name(child.first()));
    if (child.is(Kind::Covers)) {
      const std::vector<Node> ends = child.children();
      set_once(child, "covers", source.covers,
               std::pair(build_duration(ends[0]), build_duration(ends[1])));
    }
  }
  return source;
}

TestLine build_test_line(const Node& node) {
  TestLine line;
  line.span = node.span();
  for (const Node& child : node.children()) {
    if (child.is(Kind::Duration)) line.at = build_duration(child);
    if (child.is(Kind::Text)) line.line = build_text(child);
    if (child.is(Kind::Object)) line.object = build_object(child);
    if (child.is(Kind::ExpectNothing)) line.expects_nothing = true;
    if (child.is(Kind::ExpectEvent)) {
      const auto fields = child.child(Kind::Object);
      line.expects.emplace_back(build_name(child.first()),
                                fields ? build_object(*fields) : PairList{{}, child.span()});
    }
  }
  return line;
}

TestLog build_log(const Node& node, TestLog::Kind kind) {
  TestLog log;
  log.kind = kind;
  log.span = node.span();
  if (kind == TestLog::Kind::Metric) log.source = {"metric", node.span()};
  for (const Node& child : node.children()) {
    read_speaker(child, log);
    if (child.is(Kind::Name)) log.source = build_name(child);
    if (child.is(Kind::TestLine)) log.lines.push_back(build_test_line(child));
  }
  return log;
}

std::optional<Where> build_where(const Node& node) {
  Where where;
  where.span = node.span();
  switch (node.kind()) {
    case Kind::WhereNode:
    case Kind::WhereGpu:
      where.kind = node.is(Kind::WhereGpu) ? Where::Kind::Gpu : Where::Kind::Node;
      where.text = build_text(node.first()).value;
      return where;
    case Kind::WhereRank:
      where.kind = Where::Kind::Rank;
      where.number = build_integer(node.first());
      return where;
    case Kind::WhereAttempt:
      where.kind = Where::Kind::Attempt;
      return where;
    default:
      return std::nullopt;
  }
}

struct ExpectForm {
  Kind node;
  ExpectKind kind;
  std::string_view word;
  bool confidence, by, role;  // Which details it takes besides a place and fields.
};

constexpr ExpectForm kForms[] = {
    {Kind::ExpectRoot, ExpectKind::Root, "root", true, false, false},
    {Kind::ExpectRootsInclude, ExpectKind::RootsInclude, "roots include", true, false, false},
    {Kind::ExpectDemoted, ExpectKind::Demoted, "demoted", true, true, false},
    {Kind::ExpectSymptom, ExpectKind::Symptom, "symptom", true, false, true},
    {Kind::ExpectNo, ExpectKind::No, "no", false, false, false},
    {Kind::ExpectStatus, ExpectKind::Status, "status", false, false, false},
    {Kind::ExpectOutcome, ExpectKind::Outcome, "outcome", false, false, false},
    {Kind::ExpectDomain, ExpectKind::Domain, "domain", false, false, false},
    {Kind::ExpectAffected, ExpectKind::Affected, "affected", false, false, false},
    {Kind::ExpectExclude, ExpectKind::Exclude, "exclude", false, false, false},
    {Kind::ExpectAmbiguous, ExpectKind::Ambiguous, "ambiguous", false, false, false},
    {Kind::ExpectNoAmbiguous, ExpectKind::NoAmbiguous, "no ambiguous", false, false, false},
    {Kind::ExpectUnattributed, ExpectKind::Unattributed, "unattributed", false, false, false},
    {Kind::ExpectAsk, ExpectKind::Ask, "ask", false, false, false},
};

void read_detail(const Node& child, const ExpectForm& form, Expectation& expect) {
  if (auto where = build_where(child)) set_once(child, "at", expect.at, std::move(where));
  const auto refuse = [&](bool taken, std::string_view word) {
    if (!taken) child.fail<diag::WrongDetail>(word, form.word);
    return !taken;
  };
  switch (child.kind()) {
    case Kind::Name:
      expect.names.push_back(build_name(child));
      break;
    case Kind::Text:
      expect.texts.push_back(build_text(child));
      break;
    case Kind::Object:
      set_once(child, "{}", expect.fields, build_object(child));
      break;
    case Kind::Confidence:
      if (!refuse(form.confidence, "confidence"))
        set_once(child, "confidence", expect.confidence, build_name(child.first()));
      break;
    case Kind::By:
      if (!refuse(form.by, "by")) set_once(child, "by", expect.by, build_name(child.first()));
      break;
    case Kind::Role:
      if (!refuse(form.role, "role"))
        set_once(child, "role", expect.role, build_name(child.first()));
      break;
    default:
      break;
  }
}

std::optional<Expectation> build_expectation(const Node& node) {
  for (const ExpectForm& form : kForms) {
    if (form.node != node.kind()) continue;
    Expectation expect;
    expect.kind = form.kind;
    expect.span = node.span();
    for (const Node& child : node.children()) read_detail(child, form, expect);
    return expect;
  }
  return std::nullopt;
}

}  // namespace

TestDecl build_test(const Node& node) {
  TestDecl test;
  test.span = node.span();
  test.title = build_text(node.first());
  for (const Node& child : node.children()) {
    if (auto expect = build_expectation(child)) {
      test.expects.push_back(std::move(*expect));
      continue;
    }
    switch (child.kind()) {
      case Kind::Job:
        set_once(child, "job", test.job, build_object(child.first()));
        break;
      case Kind::Place:
        test.places.push_back(build_place(child));
        break;
      case Kind::Clock:
        test.clocks.push_back(build_clock(child));
        break;
      case Kind::SourceEntry:
        test.sources.push_back(build_source(child));
        break;
      case Kind::Log:
        test.logs.push_back(build_log(child, TestLog::Kind::Lines));
        break;
      case Kind::RecordLog:
        test.logs.push_back(build_log(child, TestLog::Kind::Record));
        break;
      case Kind::MetricLog:
        test.logs.push_back(build_log(child, TestLog::Kind::Metric));
        break;
      default:
        break;
    }
  }
  return test;
}

}  // namespace attrib::dsl
