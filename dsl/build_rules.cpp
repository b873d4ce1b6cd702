#include <utility>

#include "dsl/build.h"

namespace attrib::dsl {
namespace {

EachDecl build_each(const Node& node) {
  EachDecl each;
  each.span = node.span();
  each.variable = build_variable(node);
  if (const auto set = node.child(Kind::In)) each.in = build_expr(set->first());
  return each;
}

AbsentDecl build_absent(const Node& node) {
  AbsentDecl absent;
  absent.span = node.span();
  for (const Node& child : node.children()) {
    if (child.is(Kind::Variable)) absent.variable = build_variable(child);
    if (child.is(Kind::Range)) absent.during = build_range(child);
    if (child.is(Kind::Sources)) absent.sources = build_names(child);
    if (child.is(Kind::Of)) absent.of = build_expr(child.first());
  }
  return absent;
}

ParamDecl build_param(const Node& node) {
  const std::vector<Node> parts = node.children();
  ParamDecl param{build_name(parts[0]), build_expr(parts[1]), nullptr, nullptr, node.span()};
  if (parts.size() > 2) {
    RangeClause range = build_range(parts[2]);
    param.low = std::move(range.from);
    param.high = std::move(range.to);
  }
  return param;
}

WithinDecl build_within(const Node& node) {
  const std::vector<Node> parts = node.children();
  RangeClause range = build_range(parts[0]);
  return {std::move(range.from), std::move(range.to), build_expr(parts[1]), build_expr(parts[2]),
          node.span()};
}

void add_infer_clause(const Node& node, InferDecl& infer) {
  switch (node.kind()) {
    case Kind::Name:
      infer.name = build_name(node);
      break;
    case Kind::Each:
      infer.each.push_back(build_each(node));
      break;
    case Kind::Absent:
      infer.absents.push_back(build_absent(node));
      break;
    case Kind::When:
      infer.whens.push_back(build_expr(node.first()));
      break;
    case Kind::Lookup:
      infer.lookups.push_back(build_lookup(node));
      break;
    case Kind::Emit:
      infer.emits.emplace_back(EmitOn::True, build_emit(node));
      break;
    case Kind::OnUnknown:
      infer.emits.emplace_back(EmitOn::Unknown, build_emit(node.first()));
      break;
    case Kind::OnUnsure:
      infer.emits.emplace_back(EmitOn::Unsure, build_emit(node.first()));
      break;
    case Kind::OnUncovered:
      infer.emits.emplace_back(EmitOn::Uncovered, build_emit(node.first()));
      break;
    case Kind::Confidence:
      set_once(node, "confidence", infer.confidence, build_name(node.first()));
      break;
    case Kind::References:
      add_references(node, infer.references);
      break;
    default:
      ATTRIB_CHECK(false, "no infer rule holds this kind of node");
  }
}

}  // namespace

LookupDecl build_lookup(const Node& node) {
  const std::vector<Node> parts = node.children();
  LookupDecl lookup{build_name(parts.front()), {}, build_name(parts.back()), node.span()};
  for (std::size_t i = 1; i + 1 < parts.size(); ++i) lookup.keys.push_back(build_expr(parts[i]));
  return lookup;
}

EmitDecl build_emit(const Node& node) {
  EmitDecl emit;
  emit.span = node.span();
  for (const Node& child : node.children()) {
    switch (child.kind()) {
      case Kind::Name:
        emit.symptom = build_name(child);
        break;
      case Kind::At:
        emit.at = build_expr(child.first());
        break;
      case Kind::Object:
        emit.fields = build_object(child);
        break;
      case Kind::Begin:
        set_once(child, "begin", emit.begin, build_range(child.first()));
        break;
      default: {
        const std::vector<Node> parts = child.children();
        const Name word = build_name(parts[0]);
        for (const auto& other : emit.overrides) {
          if (other.first.text != word.text) continue;
          child.fail<diag::DuplicateClause>(word.text).note(other.first.span,
                                                            "the first one is here");
        }
        emit.overrides.emplace_back(word, build_expr(parts[1]));
      }
    }
  }
  return emit;
}

DecodeDecl build_decode(const Node& node) {
  DecodeDecl decode;
  decode.span = node.span();
  for (const Node& child : node.children()) {
    switch (child.kind()) {
      case Kind::Name:
        decode.name = build_name(child);
        break;
      case Kind::Variable:
        set_once(child, "on", decode.on, build_variable(child));
        break;
      case Kind::Lookup:
        decode.lookups.push_back(build_lookup(child));
        break;
      case Kind::When:
        decode.whens.push_back(build_expr(child.first()));
        break;
      case Kind::Emit:
        decode.emits.push_back(build_emit(child));
        break;
      case Kind::Confidence:
        set_once(child, "confidence", decode.confidence, build_name(child.first()));
        break;
      case Kind::References:
        add_references(child, decode.references);
        break;
      default:
        ATTRIB_CHECK(false, "no decode rule holds this kind of node");
    }
  }
  return decode;
}

InferDecl build_infer(const Node& node) {
  InferDecl infer;
  infer.span = node.span();
  for (const Node& child : node.children()) add_infer_clause(child, infer);
  return infer;
}

DemoteDecl build_demote(const Node& node) {
  DemoteDecl demote;
  demote.span = node.span();
  for (const Node& child : node.children()) {
    switch (child.kind()) {
      case Kind::Name:
        demote.name = build_name(child);
        break;
      case Kind::Param:
        demote.params.push_back(build_param(child));
        break;
      case Kind::Cause:
        set_once(child, "cause", demote.cause, build_variable(child.first()));
        break;
      case Kind::Effect:
        set_once(child, "effect", demote.effect, build_variable(child.first()));
        break;
      case Kind::Where:
        demote.wheres.push_back(build_expr(child.first()));
        break;
      case Kind::Within:
        set_once(child, "within", demote.within, build_within(child));
        break;
      case Kind::Because:
        set_once(child, "because", demote.because, build_text(child.first()));
        break;
      case Kind::OfJob:
        demote.of_job = true;
        break;
      case Kind::References:
        add_references(child, demote.references);
        break;
      default:
        ATTRIB_CHECK(false, "no demote rule holds this kind of node");
    }
  }
  return demote;
}

OutcomeDecl build_outcome(const Node& node) {
  OutcomeDecl outcome;
  outcome.span = node.span();
  for (const Node& child : node.children()) {
    switch (child.kind()) {
      case Kind::Name:
        outcome.name = build_name(child);
        break;
      case Kind::Variable:
        set_once(child, "on", outcome.on, build_variable(child));
        break;
      case Kind::When:
        outcome.whens.push_back(build_expr(child.first()));
        break;
      case Kind::Gives:
        set_once(child, "gives", outcome.gives, build_name(child.first()));
        break;
      case Kind::Rank:
        set_once(child, "rank", outcome.rank, build_integer(child.first()));
        break;
      case Kind::Emit:
        set_once(child, "emit", outcome.emit, build_emit(child));
        break;
      case Kind::References:
        add_references(child, outcome.references);
        break;
      default:
        ATTRIB_CHECK(false, "no outcome rule holds this kind of node");
    }
  }
  return outcome;
}

AmbiguousDecl build_ambiguous(const Node& node) {
  AmbiguousDecl ambiguous;
  ambiguous.span = node.span();
  for (const Node& child : node.children()) {
    switch (child.kind()) {
      case Kind::Name:
        ambiguous.name = build_name(child);
        break;
      case Kind::Among:
        if (!ambiguous.among.empty()) child.fail<diag::DuplicateClause>("among");
        ambiguous.among = build_names(child);
        break;
      case Kind::When:
        ambiguous.whens.push_back(build_expr(child.first()));
        break;
      case Kind::VerdictWord:
        set_once(child, "verdict", ambiguous.verdict, build_name(child.first()));
        break;
      case Kind::Report:
        set_once(child, "report", ambiguous.report, build_template(child.first()));
        break;
      case Kind::Ask:
        ambiguous.asks.push_back(build_template(child.first()));
        break;
      case Kind::References:
        add_references(child, ambiguous.references);
        break;
      default:
        ATTRIB_CHECK(false, "no ambiguous rule holds this kind of node");
    }
  }
  return ambiguous;
}

Decl build_declaration(const Node& node) {
  switch (node.kind()) {
    case Kind::Pack: {
      const std::vector<Node> parts = node.children();
      return PackDecl{build_name(parts[0]), std::string(parts[1].text()), node.span()};
    }
    case Kind::Language:
      return LanguageDecl{build_integer(node.first()), node.span()};
    case Kind::Use:
      return UseDecl{build_names(node), node.span()};
    case Kind::Event:
      return build_event(node);
    case Kind::Symptom:
      return build_symptom(node);
    case Kind::Extract:
      return build_extract(node);
    case Kind::Table:
      return build_table(node);
    case Kind::Decode:
      return build_decode(node);
    case Kind::Infer:
      return build_infer(node);
    case Kind::Demote:
      return build_demote(node);
    case Kind::Outcome:
      return build_outcome(node);
    case Kind::Ambiguous:
      return build_ambiguous(node);
    case Kind::Let: {
      LetDecl let{build_name(node.first()), {}, nullptr, node.span()};
      for (const Node& child : node.children()) {
        if (child.is(Kind::Field))
          let.params.push_back(build_field(child));
        else if (!child.is(Kind::Name))
          let.body = build_expr(child);
      }
      return let;
    }
    case Kind::Override: {
      const std::vector<Node> parts = node.children();
      return OverrideDecl{build_name(parts[0]), parts[1].span(), node.span()};
    }
    case Kind::Test:
      return build_test(node);
    default:
      ATTRIB_CHECK(false, "no declaration has this kind of node");
  }
}

}  // namespace attrib::dsl
