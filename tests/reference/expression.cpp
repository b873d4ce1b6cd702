#include "tests/reference/expression.h"

#include <fmt/format.h>

#include <algorithm>

namespace attrib::reference {

using compiler::ExprKind;

std::optional<Entity> node_of_fact(const State& state, const Fact& fact) {
  if (const auto node = state.world.node_of(fact.entity)) return node;
  if (fact.node.empty()) return std::nullopt;
  return Entity{EntityKind::Node, fact.node, false};
}

std::optional<Entity> rank_of_fact(const State&, const Fact& fact) {
  if (rank_number(fact.entity)) return fact.entity;
  if (!fact.rank) return std::nullopt;
  return rank_entity(*fact.rank);
}

std::string node_of_observation(const compiler::Extract& extract, const Captures& captures,
                                const evidence::Observation& observation) {
  for (std::size_t i = 0; i < extract.captures.size(); ++i) {
    if (extract.captures[i].name == "node" && captures[i]) return captures[i]->text;
  }
  return observation.node;
}

std::optional<std::uint32_t> rank_of_observation(const compiler::Extract& extract,
                                                 const Captures& captures,
                                                 const evidence::Observation& observation) {
  for (std::size_t i = 0; i < extract.captures.size(); ++i) {
    if (extract.captures[i].name != "rank" || !captures[i]) continue;
    const std::string text = captures[i]->kind == ValueKind::Int
                                 ? fmt::format("{}", captures[i]->number)
                                 : captures[i]->text;
    return rank_number({EntityKind::Rank, text, false});
  }
  return observation.rank;
}

// "node node-b", "rank 3", "attempt", "unknown gpu"
std::string describe(const Entity& e) {
  const std::string kind(model::word(e.kind));
  if (e.unknown) return "unknown " + kind;
  return e.key.empty() ? kind : kind + " " + e.key;
}

std::vector<const Fact*> range_of(const State& state, const compiler::Scope& scope) {
  std::vector<const Fact*> out;
  const std::vector<Fact>& facts = scope.events ? state.events : state.occurrences;
  if (scope.any) {
    for (const Fact& f : facts) out.push_back(&f);
  }
  // Type by type, each in canonical order.
  for (const std::uint32_t type : scope.types) {
    for (const Fact& f : facts) {
      if (f.type == type) out.push_back(&f);
    }
  }
  return out;
}

Truth Evaluator::truth(compiler::ExprId id) {
  if (!id.valid()) return Truth::Yes;
  const Truth t = truth_of(value(id));
  ++state_.truths[static_cast<std::size_t>(t)];
  return t;
}

Value Evaluator::value(compiler::ExprId id) {
  const compiler::Expr& e = state_.module.exprs.at(id.value);
  switch (e.kind) {
    case ExprKind::Constant:
      return value_of(e.constant);
    case ExprKind::Param:
      return value_of(rule_.params.at(e.index).value);
    case ExprKind::FieldOf:
      return field(fact(e.var), e);
    case ExprKind::AttributeOf:
      return attribute(fact(e.var), e.attribute);
    case ExprKind::Member:
      return entity_value(bindings_.members.at(e.var.value));
    case ExprKind::Cell:
      return value_of(bindings_.rows.at(e.var.value)->results.at(e.index));
    case ExprKind::Capture:
      return capture(e.index);
    case ExprKind::Seen:
      return moment_value(bindings_.observation->seen);
    case ExprKind::ObservationNode: {
      const std::string node =
          node_of_observation(*bindings_.extract, *bindings_.captures, *bindings_.observation);
      return node.empty() ? null_value() : entity_value({EntityKind::Node, node, false});
    }
    case ExprKind::ObservationRank: {
      const auto rank =
          rank_of_observation(*bindings_.extract, *bindings_.captures, *bindings_.observation);
      return rank ? entity_value(rank_entity(*rank)) : null_value();
    }
    case ExprKind::Attempt:
      return entity_value({EntityKind::Attempt, "", false});
    case ExprKind::ObservationMessage:
      return string_value(bindings_.observation->message);
    case ExprKind::MetricName:
      return string_value(bindings_.observation->name.str());
    case ExprKind::MetricValue:
      return decimal_value(bindings_.observation->value);
    case ExprKind::MetricRises: {
      const evidence::Observation& o = *bindings_.observation;
      return truth_value(o.previous_value ? model::truth(o.value > *o.previous_value)
                                          : Truth::Unknown);
    }
    case ExprKind::MetricLabel: {
      const auto at = bindings_.observation->labels.find(e.text);
      return at == bindings_.observation->labels.end() ? null_value() : string_value(at->second);
    }
    case ExprKind::RecordField: {
      const auto at = bindings_.observation->record.find(e.text);
      return at == bindings_.observation->record.end() ? null_value() : string_value(at->second);
    }
    case ExprKind::ReadText: {
      const Value a = value(e.a);
      if (a.kind != ValueKind::String) return null_value();
      const auto read = model::read_strict(e.type, a.text);
      return read ? value_of(*read) : null_value();
    }
    case ExprKind::RelationOf: {
      const Value a = value(e.a);
      if (a.kind != ValueKind::Entity) return null_value();
      const auto other = state_.world.related(a.entity, e.relation);
      return other ? entity_value(*other) : null_value();
    }
    case ExprKind::SetOf: {
      const Value a = value(e.a);
      Value out;
      out.kind = ValueKind::Set;
      if (a.kind == ValueKind::Entity) out.set = state_.world.set_of(a.entity, e.set);
      return out;
    }
    case ExprKind::MakeCommunicator: {
      const Value a = value(e.a);
      if (a.kind != ValueKind::String || a.text.empty()) return null_value();
      return entity_value({EntityKind::Communicator, a.text, false});
    }
    case ExprKind::MakeCollective: {
      const Value a = value(e.a);
      const Value b = value(e.b);
      if (b.kind != ValueKind::Int) return null_value();
      if (a.kind == ValueKind::Entity) {
        return entity_value({EntityKind::Collective, fmt::format("{}/{}", a.entity.key, b.number),
                             a.entity.unknown});
      }
      if (a.kind != ValueKind::String || a.text.empty()) return null_value();
      return entity_value({EntityKind::Collective, fmt::format("{}/{}", a.text, b.number), false});
    }
    case ExprKind::Not:
      return truth_value(!truth(e.a));
    case ExprKind::And: {
      const Truth a = truth(e.a);
      return truth_value(a & truth(e.b));
    }
    case ExprKind::Or: {
      const Truth a = truth(e.a);
      return truth_value(a | truth(e.b));
    }
    case ExprKind::Compare: {
      const Value a = value(e.a);
      return truth_value(compare(a, value(e.b), e.compare));
    }
    case ExprKind::InList:
      return in_list(e);
    case ExprKind::InSet: {
      const Value a = value(e.a);
      const Value b = value(e.b);
      if (a.kind != ValueKind::Entity) return truth_value(Truth::Unknown);
      return truth_value(state_.world.contains(b.set, a.entity));
    }
    case ExprKind::Has:
      return truth_value(model::truth(value(e.a).kind != ValueKind::Null));
    case ExprKind::HasTag: {
      const std::vector<std::string>& tags = state_.module.symptoms.at(fact(e.var).type).tags;
      return truth_value(model::truth(std::find(tags.begin(), tags.end(), e.text) != tags.end()));
    }
    case ExprKind::TextTest:
      return text_test(e);
    case ExprKind::Add: {
      const Value a = value(e.a);
      return add(a, value(e.b));
    }
    case ExprKind::Sub: {
      const Value a = value(e.a);
      return subtract(a, value(e.b));
    }
    case ExprKind::Negate:
      return negate(value(e.a));
    case ExprKind::Aggregate:
      return aggregate(e);
    case ExprKind::Bursts:
      return bursts(e);
    case ExprKind::Solo:
      return solo(e);
    case ExprKind::Tied: {
      const std::size_t a = fact(e.var).id;
      const std::size_t b = fact(e.second_var).id;
      const auto candidate = [&](std::size_t wanted) -> std::optional<std::size_t> {
        for (std::size_t c = 0; c < state_.tied.size(); ++c) {
          if (std::find(state_.tied[c].begin(), state_.tied[c].end(), wanted) !=
              state_.tied[c].end())
            return c;
        }
        return std::nullopt;
      };
      // Two members of one compound are one candidate: nothing to tie.
      return truth_value(
          model::truth(candidate(a) && candidate(b) && candidate(a) != candidate(b)));
    }
    case ExprKind::Related:
      return related(e);
  }
  return null_value();
}

Value Evaluator::field(const Fact& f, const compiler::Expr& expr) {
  const auto& fields =
      f.event ? state_.module.events.at(f.type).fields : state_.module.symptoms.at(f.type).fields;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name == expr.text) return f.fields[i];
  }
  return null_value();
}

Value Evaluator::attribute(const Fact& f, model::Attribute attribute) {
  switch (attribute) {
    case model::Attribute::Entity:
      return entity_value(f.entity);
    case model::Attribute::Node: {
      const auto node = node_of_fact(state_, f);
      return node ? entity_value(*node) : null_value();
    }
    case model::Attribute::Rank: {
      const auto rank = rank_of_fact(state_, f);
      return rank ? entity_value(*rank) : null_value();
    }
    case model::Attribute::Seen:
      return moment_value(f.seen);
    case model::Attribute::Begin:
      return moment_value(f.begin);
    case model::Attribute::Last:
      return moment_value(f.last);
    case model::Attribute::Count:
      return int_value(static_cast<std::int64_t>(f.count));
    case model::Attribute::Role:
      return string_value(std::string(model::word(f.role)));
    case model::Attribute::Domain:
      return string_value(std::string(model::word(f.domain)));
    case model::Attribute::Severity:
      return string_value(std::string(model::word(f.severity)));
    case model::Attribute::Message: {
      const std::uint32_t o = *f.observations.begin();
      return o == kHeader ? null_value() : string_value(state_.evidence.observations[o].message);
    }
    case model::Attribute::Name:
      return string_value(state_.module.symptoms.at(f.type).name);
  }
  return null_value();
}

Value Evaluator::capture(std::uint32_t index) {
  const auto& c = (*bindings_.captures)[index];
  if (!c) return null_value();
  const model::Type& type = bindings_.extract->captures[index].type;
  if (type.kind != ValueKind::Entity) return value_of(*c);
  const evidence::Observation& o = *bindings_.observation;
  const std::string node = node_of_observation(*bindings_.extract, *bindings_.captures, o);
  const auto e = named(type.entity, c->text, node, o.stream);
  return e ? entity_value(*e) : null_value();
}

Value Evaluator::in_list(const compiler::Expr& e) {
  const Value a = value(e.a);
  Truth any = Truth::No;
  for (const model::Constant& c : e.list)
    any = any | compare(a, value_of(c), model::Compare::Equal);
  return truth_value(any);
}

Value Evaluator::text_test(const compiler::Expr& e) {
  const Value a = value(e.a);
  const Value b = value(e.b);
  if (a.kind != ValueKind::String || b.kind != ValueKind::String)
    return truth_value(Truth::Unknown);
  switch (e.text_test) {
    case model::TextTest::Contains:
      return truth_value(model::truth(a.text.find(b.text) != std::string::npos));
    case model::TextTest::StartsWith:
      return truth_value(model::truth(a.text.starts_with(b.text)));
    case model::TextTest::EndsWith:
      return truth_value(model::truth(a.text.ends_with(b.text)));
  }
  return truth_value(Truth::Unknown);
}

const model::TableRow* Evaluator::row(const compiler::Var& var) {
  const model::Table& table = state_.module.tables.at(var.table);
  std::vector<model::Constant> keys;
  for (const compiler::ExprId key : var.keys) {
    const Value v = value(key);
    keys.push_back({v.kind, v.number, v.text});
  }
  const auto found = model::find_row(table, keys);
  const model::TableRow* row = found ? &table.rows[*found] : &table.default_row;
  bindings_.row_place = row->place;
  return row;
}

Value Evaluator::aggregate(const compiler::Expr& e) {
  const compiler::Query& query = state_.module.queries.at(e.query.value);
  const compiler::Var& var = rule_.vars.at(query.var.value);
  struct Member {
    const Fact* fact;
    Value value;
  };
  std::vector<Member> certain, possible;
  bindings_.collected[e.query.value].clear();
  for (const Fact* f : range_of(state_, var.scope)) {
    bindings_.facts[query.var.value] = f;
    const Truth holds = truth(var.where);
    if (holds == Truth::No) continue;
    const Value v = e.a.valid() ? value(e.a) : truth_value(Truth::Yes);
    if (v.kind == ValueKind::Null) continue;
    (holds == Truth::Yes ? certain : possible).push_back({f, v});
    if (holds == Truth::Yes) bindings_.collected[e.query.value].push_back(f);
  }
  bindings_.facts.erase(query.var.value);

  std::vector<Value> distinct;
  std::int64_t sure = 0;
  const auto add_distinct = [&](const std::vector<Member>& members) {
    for (const Member& m : members) {
      if (std::none_of(distinct.begin(), distinct.end(),
                       [&](const Value& d) { return same(d, m.value); })) {
        distinct.push_back(m.value);
      }
    }
  };
  switch (e.aggregate) {
    case compiler::Aggregate::Count:
      return count_value(static_cast<std::int64_t>(certain.size()),
                         static_cast<std::int64_t>(certain.size() + possible.size()));
    case compiler::Aggregate::CountDistinct:
      add_distinct(certain);
      sure = static_cast<std::int64_t>(distinct.size());
      add_distinct(possible);
      return count_value(sure, static_cast<std::int64_t>(distinct.size()));
    case compiler::Aggregate::Least:
    case compiler::Aggregate::Odd:
      break;
  }
  if (certain.empty() || !possible.empty()) return null_value();
  if (query.over.valid()) {
    const Value over = value(query.over);
    if (!over.set.known || !over.set.closed) return null_value();
    for (const Entity& member : over.set.members) {
      const bool told = std::any_of(certain.begin(), certain.end(), [&](const Member& m) {
        const auto rank = rank_of_fact(state_, *m.fact);
        return rank && *rank == member;
      });
      if (!told) return null_value();
    }
  }
  // What compares Unknown with itself has no least and no odd one.
  for (const Member& m : certain) {
    if (compare(m.value, m.value, model::Compare::Equal) != Truth::Yes) return null_value();
    if (m.value.kind == ValueKind::Entity && e.aggregate == compiler::Aggregate::Least)
      return null_value();
  }
  if (e.aggregate == compiler::Aggregate::Least) {
    return std::min_element(certain.begin(), certain.end(),
                            [](const Member& a, const Member& b) { return less(a.value, b.value); })
        ->value;
  }
  if (certain.size() < 3) return null_value();
  add_distinct(certain);
  if (distinct.size() != 2) return null_value();
  for (std::size_t i = 0; i < 2; ++i) {
    const auto n = std::count_if(certain.begin(), certain.end(),
                                 [&](const Member& m) { return same(m.value, distinct[i]); });
    if (n == 1) return distinct[i];
  }
  return null_value();
}

namespace {

// May the two have begun within d of one another?
Truth near(const Fact& a, const Fact& b, Nanos d) { return model::within(a.begin, b.begin, -d, d); }

}  // namespace

Value Evaluator::bursts(const compiler::Expr& e) {
  const Fact& o = fact(e.var);
  const Value d = value(e.a);
  if (d.kind != ValueKind::Duration) return null_value();
  std::int64_t n = 0;
  for (const Fact& f : state_.occurrences) {
    if (f.type != o.type || f.entity != o.entity) continue;
    const auto& key = state_.module.symptoms.at(o.type).key;
    const bool alike = std::all_of(key.begin(), key.end(),
                                   [&](std::uint16_t k) { return same(f.fields[k], o.fields[k]); });
    if (alike && (f.id == o.id || near(o, f, d.number) != Truth::No)) ++n;
  }
  return int_value(n);
}

Value Evaluator::solo(const compiler::Expr& e) {
  const Fact& o = fact(e.var);
  const Value d = value(e.a);
  if (d.kind != ValueKind::Duration || o.entity.unknown) return truth_value(Truth::Unknown);
  Truth other = Truth::No;
  for (const Fact& f : state_.occurrences) {
    if (f.id == o.id || !f.decoded || f.role == model::Role::Note || f.entity != o.entity) continue;
    other = other | near(o, f, d.number);
  }
  return truth_value(!other);
}

Value Evaluator::related(const compiler::Expr& e) {
  const Entity a = fact(e.var).entity;
  const Entity b = fact(e.second_var).entity;
  if (a.unknown || b.unknown) return truth_value(Truth::Unknown);
  if (a == b) return truth_value(Truth::Yes);
  // One inside the other: a node and what sits on it, a GPU and its links, a switch and its ports
  // ...
  const auto inside = [&](const Entity& x, const Entity& y) {
    const auto node = state_.world.node_of(x);
    if (node && *node == y) return true;
    const bool nested = (x.kind == EntityKind::Link && y.kind == EntityKind::Gpu) ||
                        (x.kind == EntityKind::SwitchPort && y.kind == EntityKind::Switch) ||
                        (x.kind == EntityKind::Collective && y.kind == EntityKind::Communicator);
    const std::size_t slash = x.key.rfind('/');
    return nested && slash != std::string::npos && x.key.substr(0, slash) == y.key;
  };
  return truth_value(model::truth(inside(a, b) || inside(b, a)));
}

namespace {

Truth not_before(const Moment& b, const Moment& c) { return !model::before(b, c); }

}  // namespace

Evaluator::Absence Evaluator::absent(const compiler::AbsentTest& test) {
  Absence out;
  const compiler::Query& query = state_.module.queries.at(test.query.value);
  const compiler::Var& var = rule_.vars.at(query.var.value);
  const Value from = value(test.from);
  const Value to = value(test.to);
  const Moment start = from.kind == ValueKind::Moment ? from.moment : Moment{};
  const Moment end = to.kind == ValueKind::Moment ? to.moment : Moment{};
  bool certain = false;
  bindings_.collected[test.query.value].clear();
  for (const Fact* f : range_of(state_, var.scope)) {
    bindings_.facts[query.var.value] = f;
    const Truth in = truth(var.where) & not_before(f->begin, start) & not_before(end, f->begin);
    certain = certain || in == Truth::Yes;
    out.possible = out.possible || in == Truth::Unknown;
    if (in == Truth::Yes) bindings_.collected[test.query.value].push_back(f);
  }
  bindings_.facts.erase(query.var.value);

  Entity of{EntityKind::Attempt, "", false};
  bool whom = true;
  if (test.of.valid()) {
    const Value v = value(test.of);
    whom = v.kind == ValueKind::Entity && !v.entity.unknown;
    if (whom) of = v.entity;
  }
  Truth covered = Truth::Unknown;
  if (whom && start.known && end.known) {
    std::string node;
    std::optional<std::uint32_t> rank = rank_number(of);
    if (const auto on = state_.world.node_of(of)) node = on->key;
    if (evidence::covers(state_.evidence, test.sources, node, rank, start.lo, end.hi))
      covered = Truth::Yes;
  }
  out.truth = certain                                 ? Truth::No
              : out.possible || covered != Truth::Yes ? Truth::Unknown
                                                      : Truth::Yes;
  if (!whom || !start.known || !end.known) return out;
  const std::string name = var.scope.any ? "any"
                           : var.scope.events
                               ? state_.module.events.at(var.scope.types.back()).name
                               : state_.module.symptoms.at(var.scope.types.back()).name;
  out.what = verdict::AbsentEvidence{name, describe(of), start.lo, end.hi, covered == Truth::Yes};
  return out;
}

}  // namespace attrib::reference
