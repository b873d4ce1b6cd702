#include <utility>

#include "dsl/build.h"

namespace attrib::dsl {
namespace {

TypeRef build_type(const Node& node) {
  TypeRef type;
  type.span = node.span();
  for (const Node& child : node.children()) {
    if (child.is(Kind::Words)) type.words = build_names(child);
    if (child.is(Kind::Name)) type.name = build_name(child);
    if (child.is(Kind::Flag)) type.optional = true;
  }
  return type;
}

SymptomClause build_symptom_clause(const Node& node) {
  SymptomClause clause;
  clause.span = node.span();
  clause.keyword = build_name(node.first());
  for (const Node& child : node.children()) {
    if (child.is(Kind::List)) {
      for (const Node& item : child.children()) clause.values.push_back(build_expr(item));
    } else if (!child.is(Kind::Name)) {
      clause.values.push_back(build_expr(child));
    }
  }
  return clause;
}

LinePattern build_pattern(const Node& node) {
  LinePattern pattern;
  pattern.at_start = node.has(Kind::Start);
  pattern.regex = node.has(Kind::Regex);
  const Node text = *node.child(Kind::Text);
  pattern.text = pattern.regex ? build_text(text) : build_template(text);
  return pattern;
}

LineClause build_line(const Node& node) {
  LineClause line;
  line.span = node.span();
  for (const Node& child : node.children()) {
    if (child.is(Kind::Pattern)) line.lines.push_back(build_pattern(child));
    if (child.is(Kind::WithinLines))
      set_once(child, "within", line.within_lines, build_integer(child.first()));
    if (child.is(Kind::Slow)) set_once(child, "slow", line.slow, build_text(child.first()));
  }
  return line;
}

SampleClause build_sample(const Node& node) {
  SampleClause sample;
  sample.reject = node.is(Kind::Reject);
  sample.span = node.span();
  for (const Node& child : node.children()) {
    if (child.is(Kind::Text)) sample.lines.push_back(build_text(child));
    if (child.is(Kind::Object)) sample.object = build_object(child);
    if (child.is(Kind::Gives)) sample.gives = build_object(child.first());
  }
  return sample;
}

std::optional<LearnClause> build_learn(const Node& node) {
  const char* kind = nullptr;
  switch (node.kind()) {
    case Kind::LearnAddress:
      kind = "address";
      break;
    case Kind::LearnPlace:
      kind = "place";
      break;
    case Kind::LearnWorld:
      kind = "world";
      break;
    case Kind::LearnMember:
      kind = "member";
      break;
    case Kind::LearnAlias:
      kind = "alias";
      break;
    default:
      return std::nullopt;
  }
  const Span span = node.span();
  return LearnClause{{kind,
                      {span.source, span.begin,
                       span.begin + static_cast<std::uint32_t>(std::string_view(kind).size())}},
                     build_names(node),
                     span};
}

void add_extract_clause(const Node& node, ExtractDecl& extract) {
  if (auto learn = build_learn(node)) {
    extract.learn = std::move(learn);
    return;
  }
  switch (node.kind()) {
    case Kind::Name:
      extract.name = build_name(node);
      break;
    case Kind::Metric:
      extract.from = ExtractFrom::Metric;
      break;
    case Kind::Record:
      extract.from = ExtractFrom::Record;
      break;
    case Kind::Sources:
      extract.sources = build_names(node);
      break;
    case Kind::AsEvent:
      extract.event = build_name(node.first());
      break;
    case Kind::Line:
      extract.lines.push_back(build_line(node));
      break;
    case Kind::Sample:
    case Kind::Reject:
      extract.samples.push_back(build_sample(node));
      break;
    case Kind::Set: {
      const std::vector<Node> parts = node.children();
      extract.sets.push_back({build_name(parts[0]), build_expr(parts[1])});
      break;
    }
    case Kind::Where:
      extract.wheres.push_back(build_expr(node.first()));
      break;
    case Kind::At:
      set_once(node, "at", extract.at, build_expr(node.first()));
      break;
    case Kind::Begin:
      set_once(node, "begin", extract.begin, build_range(node.first()));
      break;
    case Kind::Family:
      set_once(node, "family", extract.family, build_name(node.first()));
      break;
    case Kind::KeepLast:
      set_once(node, "keep last", extract.keep_last, node.span());
      break;
    case Kind::KeepFirst: {
      KeepFirst keep{{}, node.span()};
      for (const Node& each : node.children()) keep.by.push_back(build_name(each));
      set_once(node, "keep first", extract.keep_first, std::move(keep));
      break;
    }
    case Kind::References:
      add_references(node, extract.references);
      break;
    default:
      ATTRIB_CHECK(false, "no extract holds this kind of node");
  }
}

}  // namespace

FieldDecl build_field(const Node& node) {
  const std::vector<Node> parts = node.children();
  return {build_name(parts[0]), build_type(parts[1])};
}

EventDecl build_event(const Node& node) {
  EventDecl event;
  event.span = node.span();
  event.name = build_name(node.first());
  for (const Node& child : node.children()) {
    if (child.is(Kind::Flag)) event.progress = true;
    if (child.is(Kind::Field)) event.fields.push_back(build_field(child));
    if (!child.is(Kind::On)) continue;
    std::vector<Name> kinds = build_names(child);
    if (kinds.size() > 1)
      child.fail<diag::SyntaxError>("one kind of entity")
          .hint("only a symptom may be on one of several kinds");
    event.on = std::move(kinds.front());
  }
  return event;
}

SymptomDecl build_symptom(const Node& node) {
  SymptomDecl symptom;
  symptom.span = node.span();
  symptom.name = build_name(node.first());
  for (const Node& child : node.children()) {
    if (child.is(Kind::On)) symptom.on = build_names(child);
    if (child.is(Kind::Field)) symptom.fields.push_back(build_field(child));
    if (!child.is(Kind::SymptomClause)) continue;
    SymptomClause clause = build_symptom_clause(child);
    const bool may_repeat = clause.keyword.text == "references" || clause.keyword.text == "was";
    for (const SymptomClause& other : symptom.clauses) {
      if (may_repeat || other.keyword.text != clause.keyword.text) continue;
      child.fail<diag::DuplicateClause>(clause.keyword.text)
          .note(other.span, "the first one is here");
      break;
    }
    symptom.clauses.push_back(std::move(clause));
  }
  return symptom;
}

ExtractDecl build_extract(const Node& node) {
  ExtractDecl extract;
  extract.span = node.span();
  for (const Node& child : node.children()) add_extract_clause(child, extract);
  return extract;
}

}  // namespace attrib::dsl
