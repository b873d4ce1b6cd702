#include "compiler/generate.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "program/codec.h"
#include "program/disassemble.h"
#include "program/verify.h"

namespace attrib::compiler {
namespace {

using model::EntityKind;
using model::ValueKind;

model::Type type(ValueKind kind, model::Reader reader = model::Reader::Word) {
  model::Type out;
  out.kind = kind;
  out.reader = reader;
  return out;
}
model::Type entity(EntityKind kind) {
  model::Type out = type(ValueKind::Entity, model::Reader::Entity);
  out.entity = kind;
  return out;
}
const model::Type kTruth = type(ValueKind::Truth, model::Reader::Bool);
const model::Type kInt = type(ValueKind::Int, model::Reader::U16);
const model::Type kWord = type(ValueKind::String);
const model::Type kLength = type(ValueKind::Duration, model::Reader::Ms);
const model::Type kMoment = type(ValueKind::Moment);

// Symptom and event types, sorted by name; their indexes.
enum Symptoms : std::uint32_t { kEnter, kError, kTimeout, kNever, kSilent, kLimit, kLink };
enum Events : std::uint32_t { kState, kXid };

class Modules {
 public:
  Modules() {
    module.events = {event("State", EntityKind::Attempt, {{"word", kWord, false, {}}}),
                     event("Xid", EntityKind::Gpu,
                           {{"code", kInt, false, {}},
                            {"gpu", entity(EntityKind::Gpu), false, {}},
                            {"unit", kWord, true, {}}})};
    const model::Field coll{"coll", entity(EntityKind::Collective), true, {}};
    module.symptoms = {
        symptom("nccl.enter", EntityKind::Rank, {coll}),
        symptom("nccl.error", EntityKind::Rank, {}),
        symptom("nccl.timeout", EntityKind::Rank, {coll, {"timeout", kLength, true, {}}}),
        symptom("rank.never_entered", EntityKind::Rank, {coll}),
        symptom("rank.silent", EntityKind::Rank, {}),
        symptom("slurm.time_limit", EntityKind::Attempt, {}),
        symptom("zlink.fault", EntityKind::Node,
                {{"code", kInt, false, {}}, {"fatal", kTruth, true, {}}}),
    };
    model::Table table;
    table.name = "codes";
    table.keys = {{"code", kInt, model::KeyMatch::Exact}};
    table.results = {{"bucket", kWord}, {"role", kWord}};
    model::KeyCell cell;
    cell.kind = model::KeyCell::Kind::Value;
    cell.values = {model::int_constant(149)};
    table.rows = {{{cell}, {model::text_constant("link"), model::text_constant("origin")}, "x:1"}};
    table.default_row = {{}, {model::text_constant("other"), model::text_constant("note")}, "x:2"};
    module.tables = {table};
    module.infer_strata = 1;
  }

  // -- expressions

  ExprId add(Expr expr) {
    module.exprs.push_back(std::move(expr));
    return {static_cast<std::uint32_t>(module.exprs.size() - 1)};
  }
  ExprId make(ExprKind kind, model::Type of, ExprId a = {}, ExprId b = {}) {
    Expr out;
    out.kind = kind;
    out.type = std::move(of);
    out.a = a;
    out.b = b;
    return add(out);
  }
  ExprId constant(model::Constant value) {
    Expr out;
    out.type = type(value.kind);
    out.constant = std::move(value);
    return add(out);
  }
  ExprId number(std::int64_t n) { return constant(model::int_constant(n)); }
  ExprId seconds(std::int64_t n) { return constant(model::duration_constant(n * model::kSecond)); }
  ExprId word(std::string text) { return constant(model::text_constant(std::move(text))); }
  ExprId field(std::uint32_t var, std::string name, model::Type of) {
    Expr out;
    out.kind = ExprKind::FieldOf;
    out.type = std::move(of);
    out.var = {var};
    out.text = std::move(name);
    return add(out);
  }
  ExprId attribute(std::uint32_t var, model::Attribute attribute, model::Type of) {
    Expr out;
    out.kind = ExprKind::AttributeOf;
    out.type = std::move(of);
    out.var = {var};
    out.attribute = attribute;
    return add(out);
  }
  ExprId rank_of(std::uint32_t var) {
    return attribute(var, model::Attribute::Rank, entity(EntityKind::Rank));
  }
  ExprId node_of(std::uint32_t var) {
    return attribute(var, model::Attribute::Node, entity(EntityKind::Node));
  }
  ExprId member(std::uint32_t var) {
    const ExprId out = make(ExprKind::Member, entity(EntityKind::Rank));
    module.exprs[out.value].var = {var};
    return out;
  }
  ExprId cell(std::uint32_t var, std::uint32_t column) {
    const ExprId out = make(ExprKind::Cell, kWord);
    module.exprs[out.value].var = {var};
    module.exprs[out.value].index = column;
    return out;
  }
  ExprId compare(ExprId a, model::Compare op, ExprId b) {
    const ExprId out = make(ExprKind::Compare, kTruth, a, b);
    module.exprs[out.value].compare = op;
    return out;
  }
  ExprId equal(ExprId a, ExprId b) { return compare(a, model::Compare::Equal, b); }
  ExprId both(ExprId a, ExprId b) { return make(ExprKind::And, kTruth, a, b); }
  ExprId has(ExprId a) { return make(ExprKind::Has, kTruth, a); }
  ExprId set_of(ExprId a, model::SetKind set) {
    model::Type of = entity(EntityKind::Rank);
    of.kind = ValueKind::Set;
    const ExprId out = make(ExprKind::SetOf, of, a);
    module.exprs[out.value].set = set;
    return out;
  }
  ExprId param(std::uint32_t index) {
    const ExprId out = make(ExprKind::Param, kLength);
    module.exprs[out.value].index = index;
    return out;
  }

  // -- declarations

  static Var fact(std::string name, std::vector<std::uint32_t> types, ExprId where = {},
                  bool events = false) {
    Var out;
    out.name = std::move(name);
    out.scope.events = events;
    out.scope.types = std::move(types);
    out.where = where;
    return out;
  }
  static Rule rule(RuleKind kind, std::string name, std::vector<Var> vars, std::uint32_t own) {
    Rule out;
    out.kind = kind;
    out.pack = "demo";
    out.name = std::move(name);
    out.vars = std::move(vars);
    out.own_vars = own;
    return out;
  }
  QueryId query(std::uint32_t var) {
    module.queries.push_back({{var}, {}});
    return {static_cast<std::uint32_t>(module.queries.size() - 1)};
  }
  static Emit emit(std::uint32_t symptom, ExprId at, std::vector<FieldValue> fields = {}) {
    Emit out;
    out.type = symptom;
    out.at = at;
    out.fields = std::move(fields);
    return out;
  }

  void add_extract();
  void add_decode();
  void add_infer();
  void add_demotes();
  void add_outcome();
  void add_ambiguous();
  Modules& add_all() {
    add_extract();
    add_decode();
    add_infer();
    add_demotes();
    add_outcome();
    add_ambiguous();
    return *this;
  }

  Module module;

 private:
  static model::EventType event(std::string name, EntityKind on, std::vector<model::Field> fields) {
    model::EventType out;
    out.name = std::move(name);
    out.pack = "demo";
    out.on = on;
    out.fields = std::move(fields);
    return out;
  }
  static model::SymptomType symptom(std::string name, EntityKind on,
                                    std::vector<model::Field> fields) {
    model::SymptomType out;
    out.name = std::move(name);
    out.pack = "demo";
    out.on = {on};
    out.fields = std::move(fields);
    return out;
  }
};

void Modules::add_extract() {
  Rule made = rule(RuleKind::Extract, "xid", {}, 0);
  std::vector<FieldValue> fields;
  for (std::uint32_t i = 0; i < 3; ++i) {
    const ExprId capture = make(ExprKind::Capture, module.events[kXid].fields[i].type);
    module.exprs[capture.value].index = i;
    fields.push_back({i, capture});
  }
  Emit out = emit(kXid, {}, fields);
  out.event = true;
  const ExprId seen = make(ExprKind::Seen, kMoment);
  out.begin_from = make(ExprKind::Sub, kMoment, seen, seconds(60));
  out.begin_to = seen;
  made.emits = {out};
  Extract extract;
  extract.pack = "demo";
  extract.name = "xid";
  extract.sources = model::source_bit(model::SourceKind::Kernel);
  for (const model::Field& f : module.events[kXid].fields)
    extract.captures.push_back({f.name, f.type});
  const auto literal = [](std::string text) {
    model::TemplatePart part;
    part.text = std::move(text);
    return part;
  };
  const auto hole = [](std::uint16_t capture, model::Reader reader) {
    model::TemplatePart part;
    part.kind = model::PartKind::Hole;
    part.capture = capture;
    part.reader = reader;
    return part;
  };
  model::LineTemplate line;
  line.parts = {literal("Xid(PCI:"), hole(1, model::Reader::Entity), literal("):"),
                hole(0, model::Reader::U16)};
  model::Alternative alternative;
  alternative.lines = {line};
  alternative.literals = {"Xid(PCI:"};
  extract.alternatives = {alternative};
  extract.rule = static_cast<std::uint32_t>(module.rules.size());
  extract.event = kXid;
  module.extracts.push_back(extract);
  module.rules.push_back(made);
}

void Modules::add_decode() {
  const ExprId where =
      both(equal(field(0, "code", kInt), number(149)), has(field(0, "unit", kWord)));
  Var row;
  row.name = "row";
  row.kind = VarKind::Row;
  row.keys = {field(0, "code", kInt)};
  Rule made = rule(RuleKind::Decode, "link", {fact("x", {kXid}, where, true), row}, 2);
  const ExprId in = make(ExprKind::InList, kTruth, cell(1, 0));
  module.exprs[in.value].list = {model::text_constant("link"), model::text_constant("cable")};
  made.whens = {in};
  const ExprId node = make(ExprKind::RelationOf, entity(EntityKind::Node),
                           field(0, "gpu", entity(EntityKind::Gpu)));
  Emit out = emit(kLink, node, {{0, field(0, "code", kInt)}});
  out.role = cell(1, 1);
  made.emits = {out};
  module.rules.push_back(made);
}

void Modules::add_infer() {
  const auto coll = [&](std::uint32_t var) {
    return field(var, "coll", entity(EntityKind::Collective));
  };
  Var members;
  members.name = "r";
  members.kind = VarKind::Member;
  members.in = set_of(coll(0), model::SetKind::RanksOfColl);
  const ExprId same = both(equal(rank_of(2), member(1)), equal(coll(2), coll(0)));
  Rule made = rule(RuleKind::Infer, "never_entered",
                   {fact("w", {kTimeout}, has(coll(0))), members, fact("n", {kEnter}, same),
                    fact("v", {kTimeout}, equal(coll(3), coll(0)))},
                   2);
  AbsentTest absent;
  absent.query = query(2);
  const ExprId begin = attribute(0, model::Attribute::Begin, kMoment);
  absent.from = make(ExprKind::Sub, kMoment, begin, seconds(3600));
  absent.to = attribute(0, model::Attribute::Seen, kMoment);
  absent.sources = model::source_bit(model::SourceKind::FlightRecorder);
  absent.of = member(1);
  made.absents = {absent};
  const ExprId count = make(ExprKind::Aggregate, type(ValueKind::Count));
  module.exprs[count.value].query = query(3);
  made.whens = {compare(count, model::Compare::GreaterEqual, number(2))};
  Emit never = emit(kNever, member(1), {{0, coll(0)}});
  Emit unknown = emit(kSilent, member(1));
  unknown.on = EmitOn::Unknown;
  Emit unsure = unknown, uncovered = unknown;
  unsure.on = EmitOn::Unsure;
  uncovered.on = EmitOn::Uncovered;
  made.emits = {never, unknown, unsure, uncovered};
  module.rules.push_back(made);
}

void Modules::add_demotes() {
  // -slack..e.timeout + 300s from c.begin to e.begin
  Rule waits =
      rule(RuleKind::Demote, "waits",
           {fact("c", {kLink}), fact("e", {kTimeout}, has(field(1, "timeout", kLength)))}, 2);
  Param slack;
  slack.name = "slack";
  slack.value = model::duration_constant(60 * model::kSecond);
  waits.params = {slack};
  waits.whens = {make(ExprKind::InSet, kTruth, rank_of(1),
                      set_of(node_of(0), model::SetKind::CommRanksOfNode))};
  waits.window_from = make(ExprKind::Negate, kLength, param(0));
  waits.window_to = make(ExprKind::Add, kLength, field(1, "timeout", kLength), seconds(300));
  waits.because = "a failing link stalls the collective";
  module.rules.push_back(waits);

  // Equal ranks: a keyed scan, whatever the window.
  Rule same = rule(RuleKind::Demote, "same_rank", {fact("c", {kTimeout}), fact("e", {kError})}, 2);
  same.whens = {equal(rank_of(0), rank_of(1))};
  same.window_from = seconds(0);
  same.window_to = field(0, "timeout", kLength);
  same.because = "one rank";
  module.rules.push_back(same);

  // Any fatal symptom, from the effect to the cause.
  Var any = fact("c", {});
  any.scope.any = true;
  const ExprId tag = make(ExprKind::HasTag, kTruth);
  module.exprs[tag.value].var = {0};
  module.exprs[tag.value].text = "fatal";
  any.where = tag;
  Rule fatal = rule(RuleKind::Demote, "fatal", {any, fact("e", {kEnter, kError})}, 2);
  fatal.window_from = seconds(-10);
  fatal.window_to = seconds(0);
  fatal.window_reversed = true;
  fatal.because = "fatal";
  module.rules.push_back(fatal);
}

void Modules::add_outcome() {
  Rule made = rule(RuleKind::Outcome, "time_limit", {fact("t", {kLimit})}, 1);
  made.gives = model::Outcome::TimedOut;
  made.outcome_rank = 40;
  made.emits = {emit(kError, {})};
  made.confidence = model::Band::Certain;
  module.rules.push_back(made);
}

void Modules::add_ambiguous() {
  Var a = fact("a", {}), b = fact("b", {});
  a.scope.any = b.scope.any = true;
  Rule made = rule(RuleKind::Ambiguous, "unrelated", {a, b}, 2);
  const ExprId tied = make(ExprKind::Tied, kTruth);
  module.exprs[tied.value].var = {0};
  module.exprs[tied.value].second_var = {1};
  const ExprId related = make(ExprKind::Related, kTruth);
  module.exprs[related.value].var = {0};
  module.exprs[related.value].second_var = {1};
  made.whens = {both(tied, make(ExprKind::Not, kTruth, related))};
  made.report = {{"Two causes: ", " and ", "."}, {ExprId{}, ExprId{}}, {VarId{0}, VarId{1}}};
  made.asks = {{{"Look at ", "."}, {node_of(0)}, {VarId{}}}};
  module.rules.push_back(made);
}

program::Program generated(const Module& module) { return generate(module, SourceMap{}); }

std::string refusal(const program::Program& program) {
  const auto verified = program::verify(program);
  return verified.ok() ? "" : verified.error().message;
}

std::string code_of(const Module& module, const std::string& rule) {
  const program::Program program = generated(module);
  CHECK(refusal(program) == "");
  return program::disassemble(program, "demo." + rule);
}

TEST_CASE("a rule of every kind gives a program that verifies") {
  Modules modules;
  CHECK(refusal(generated(modules.add_all().module)) == "");
}

TEST_CASE("one module gives one file, and order of rules does not reach it") {
  Modules modules;
  modules.add_all();
  const std::string bytes = program::encode(generated(modules.module));
  CHECK(program::encode(generated(modules.module)) == bytes);
  // Constants and texts are met in another order then.
  std::reverse(modules.module.rules.begin(), modules.module.rules.end());
  for (Extract& extract : modules.module.extracts) {
    extract.rule = static_cast<std::uint32_t>(modules.module.rules.size()) - 1 - extract.rule;
  }
  CHECK(program::encode(generated(modules.module)) == bytes);
}

TEST_CASE("an extract takes captures into its event") {
  Modules modules;
  modules.add_extract();
  CHECK(code_of(modules.module, "xid") == R"(extract demo.xid, likely
  registers number r0; word r2; duration r5; time r3 r4 r6; entity r1
  0000  capture        r0, code
  0001  capture        r1, gpu
  0002  capture        r2, unit
  0003  seen           r4
  0004  const          r5, 1m
  0005  sub            r3, r4, r5
  0006  seen           r4
  0007  hull           r6, r3, r4
  0008  emit.event     Xid, default entity
  0009  emit.field     r0, .code
  0010  emit.field     r1, .gpu
  0011  emit.field     r2, .unit
  0012  emit.begin     r6
  0013  emit.done      likely
  0014  halt
)");
}

TEST_CASE("a decode tests, looks up and emits") {
  Modules modules;
  modules.add_decode();
  CHECK(code_of(modules.module, "link") == R"(decode demo.link, likely
  registers truth r1 r4; number r2 r3; word r5; entity r7 r8; row r6; fact r0
  0000  open.events    r0, Xid, else 0023
  0001  field          r2, r0, .code
  0002  const          r3, 149
  0003  cmp            r1, r2, r3, ==
  0004  filter         r1, unknown|yes, else 0022
  0005  field          r5, r0, .unit
  0006  has            r4, r5
  0007  filter         r4, yes, else 0022
  0008  filter         r1, yes, else 0022
  0009  field          r2, r0, .code
  0010  lookup         r6, r2, 1, codes
  0011  cell           r5, r6, 0
  0012  in.list        r1, r5, ["link", "cable"]
  0013  filter         r1, yes, else 0022
  0014  field          r2, r0, .code
  0015  cell           r5, r6, 1
  0016  field          r8, r0, .gpu
  0017  rel            r7, r8, node of gpu
  0018  emit.symptom   r7, zlink.fault
  0019  emit.field     r2, .code
  0020  emit.meta      r5, role
  0021  emit.done      likely
  0022  next           r0
  0023  halt
)");
}

TEST_CASE("an inference with absence tells true, unknown, unsure and uncovered apart") {
  Modules modules;
  modules.add_infer();
  CHECK(code_of(modules.module, "never_entered") == R"(infer demo.never_entered, layer 0, likely
  registers truth r1 r8 r12 r19 r20 r21 r23 r24; number r11; duration r16; time r13 r14 r15 r22; entity r2 r7 r9 r10; set r3; count r4; fact r0 r6 r18; bag r5 r17
  0000  open.symptoms  r0, nccl.timeout, else 0065
  0001  field          r2, r0, .coll
  0002  has            r1, r2
  0003  filter         r1, yes, else 0064
  0004  field          r2, r0, .coll
  0005  set            r3, r2, ranks of collective
  0006  open.members   r2, r3, else 0064
  0007  bag.new        r5
  0008  field          r7, r0, .coll
  0009  seek           r7, field, 0
  0010  open.keyed     r6, nccl.timeout, else 0016
  0011  field          r9, r6, .coll
  0012  field          r10, r0, .coll
  0013  cmp            r8, r9, r10, ==
  0014  bag.add        r5, r8, r8, r6
  0015  next           r6
  0016  bag.count      r4, r5
  0017  const          r11, 2
  0018  cmp            r1, r4, r11, >=
  0019  filter         r1, unknown|yes, else 0063
  0020  attr           r15, r0, begin
  0021  const          r16, 1h
  0022  sub            r13, r15, r16
  0023  attr           r14, r0, seen
  0024  bag.new        r17
  0025  seek           r2, attr, rank
  0026  open.keyed     r18, nccl.enter, else 0040
  0027  attr           r7, r18, rank
  0028  cmp            r20, r7, r2, ==
  0029  field          r7, r18, .coll
  0030  field          r9, r0, .coll
  0031  cmp            r21, r7, r9, ==
  0032  and            r19, r20, r21
  0033  attr           r22, r18, begin
  0034  notbefore      r20, r22, r13
  0035  notbefore      r21, r14, r22
  0036  and            r23, r19, r20
  0037  and            r24, r23, r21
  0038  bag.add        r17, r24, r24, r18
  0039  next           r18
  0040  covered        r19, r2, r13, flight_recorder
  0041  absent         r8, r17, r19
  0042  bag.count      r4, r17
  0043  const          r11, 0
  0044  cmp            r12, r4, r11, >
  0045  filter         r8, unknown|yes, else 0063
  0046  and            r19, r1, r8
  0047  filter         r19, yes, else 0052
  0048  field          r7, r0, .coll
  0049  emit.symptom   r2, rank.never_entered
  0050  emit.field     r7, .coll
  0051  emit.done      likely
  0052  filter         r19, unknown, else 0055
  0053  emit.symptom   r2, rank.silent
  0054  emit.done      likely
  0055  filter         r8, unknown, else 0059
  0056  filter         r12, unknown|yes, else 0059
  0057  emit.symptom   r2, rank.silent
  0058  emit.done      likely
  0059  filter         r8, unknown, else 0063
  0060  filter         r12, no, else 0063
  0061  emit.symptom   r2, rank.silent
  0062  emit.done      likely
  0063  next           r2
  0064  next           r0
  0065  halt
)");
}

TEST_CASE("a demotion opens the side its window depends on, and the other near it") {
  Modules modules;
  modules.add_demotes();
  CHECK(code_of(modules.module, "waits") == R"(demote demo.waits
  param slack = 1m
  because "a failing link stalls the collective"
  registers truth r1 r7; duration r2 r3 r4 r5; entity r8 r10; set r9; fact r0 r6
  0000  open.symptoms  r0, nccl.timeout, else 0021
  0001  field          r2, r0, .timeout
  0002  has            r1, r2
  0003  filter         r1, yes, else 0020
  0004  param          r3, slack
  0005  neg            r2, r3
  0006  field          r4, r0, .timeout
  0007  const          r5, 5m
  0008  add            r3, r4, r5
  0009  reach          r2, r3, before outer
  0010  open.near      r6, zlink.fault, r0, else 0020
  0011  window         r1, r6, r0, begin to begin
  0012  filter         r1, unknown|yes, else 0019
  0013  attr           r8, r0, rank
  0014  attr           r10, r6, node
  0015  set            r9, r10, comm_ranks of node
  0016  in.set         r7, r8, r9
  0017  filter         r7, unknown|yes, else 0019
  0018  edge           r6, r0, r7, r1
  0019  next           r6
  0020  next           r0
  0021  halt
)");
}

TEST_CASE("a demotion between equals seeks them") {
  Modules modules;
  modules.add_demotes();
  CHECK(code_of(modules.module, "same_rank") == R"(demote demo.same_rank
  because "one rank"
  registers truth r5 r6; duration r1 r2; entity r4 r7 r8; fact r0 r3
  0000  open.symptoms  r0, nccl.timeout, else 0016
  0001  const          r1, 0s
  0002  field          r2, r0, .timeout
  0003  reach          r1, r2, after outer
  0004  attr           r4, r0, rank
  0005  seek           r4, attr, rank
  0006  open.near      r3, nccl.error, r0, else 0015
  0007  window         r5, r0, r3, begin to begin
  0008  filter         r5, unknown|yes, else 0014
  0009  attr           r7, r0, rank
  0010  attr           r8, r3, rank
  0011  cmp            r6, r7, r8, ==
  0012  filter         r6, unknown|yes, else 0014
  0013  edge           r0, r3, r6, r5
  0014  next           r3
  0015  next           r0
  0016  halt
)");
}

TEST_CASE("a list of effects is a loop each, and any cause is sought near it") {
  Modules modules;
  modules.add_demotes();
  CHECK(code_of(modules.module, "fatal") == R"(demote demo.fatal
  because "fatal"
  registers truth r4 r5; duration r1 r2; fact r0 r3
  0000  open.symptoms  r0, nccl.enter, else 0013
  0001  const          r1, -10s
  0002  const          r2, 0s
  0003  reach          r1, r2, after outer
  0004  open.near.any  r3, {}, r0, else 0012
  0005  tag            r4, r3, "fatal"
  0006  filter         r4, yes, else 0011
  0007  window         r4, r0, r3, begin to begin, to cause
  0008  filter         r4, unknown|yes, else 0011
  0009  const          r5, true
  0010  edge           r3, r0, r5, r4
  0011  next           r3
  0012  next           r0
  0013  open.symptoms  r0, nccl.error, else 0026
  0014  const          r1, -10s
  0015  const          r2, 0s
  0016  reach          r1, r2, after outer
  0017  open.near.any  r3, {}, r0, else 0025
  0018  tag            r4, r3, "fatal"
  0019  filter         r4, yes, else 0024
  0020  window         r4, r0, r3, begin to begin, to cause
  0021  filter         r4, unknown|yes, else 0024
  0022  const          r5, true
  0023  edge           r3, r0, r5, r4
  0024  next           r3
  0025  next           r0
  0026  halt
)");
}

TEST_CASE("an outcome emits at the attempt and names the end") {
  Modules modules;
  modules.add_outcome();
  CHECK(code_of(modules.module, "time_limit") == R"(outcome demo.time_limit, certain
  registers entity r1; fact r0
  0000  open.symptoms  r0, slurm.time_limit, else 0006
  0001  here           r1, attempt
  0002  emit.symptom   r1, nccl.error
  0003  emit.done      certain
  0004  outcome        timed_out, rank 40
  0005  next           r0
  0006  halt
)");
}

TEST_CASE("the report of an ambiguity comes after what to ask") {
  Modules modules;
  modules.add_ambiguous();
  CHECK(code_of(modules.module, "unrelated") == R"(ambiguous demo.unrelated
  registers truth r2 r3 r4; entity r5; fact r0 r1
  0000  open.any       r0, else 0022
  0001  open.any       r1, else 0021
  0002  tied           r2, r0, r1
  0003  filter         r2, unknown|yes, else 0020
  0004  related        r4, r0, r1
  0005  not            r3, r4
  0006  filter         r3, unknown|yes, else 0020
  0007  and            r4, r2, r3
  0008  filter         r4, yes, else 0020
  0009  attr           r5, r0, node
  0010  say            "Look at "
  0011  say.value      r5
  0012  say            "."
  0013  say.done       ask
  0014  say            "Two causes: "
  0015  say.fact       r0
  0016  say            " and "
  0017  say.fact       r1
  0018  say            "."
  0019  say.done       report
  0020  next           r1
  0021  next           r0
  0022  halt
)");
}

TEST_CASE("lists of types that multiply past the limit are refused, not followed") {
  Modules modules;
  std::vector<Var> vars;
  for (int i = 0; i < 16; ++i) vars.push_back(Modules::fact("v", {0, 1, 2, 3, 4, 5, 6}));
  modules.module.rules.push_back(Modules::rule(RuleKind::Outcome, "wide", vars, 16));
  CHECK(refusal(generated(modules.module)) == "rule `demo.wide`: too many instructions");
}

TEST_CASE("constant windows are kept for people, others are zero") {
  Modules modules;
  modules.add_demotes();
  const program::Program program = generated(modules.module);
  const auto rule = [&](const std::string& name) {
    return *std::ranges::find(program.rules, "demo." + name, &program::Rule::name);
  };
  CHECK(rule("waits").window_low == -60 * model::kSecond);
  CHECK(rule("waits").window_high == 0);
  CHECK(rule("fatal").window_low == -10 * model::kSecond);
}

TEST_CASE("tests are no sources of a program, and sources stand in path order") {
  Modules modules;
  modules.add_outcome();
  SourceMap sources;
  sources.add("b.rules", "second");
  const SourceId tests = sources.add("a_test.rules", "never");
  const SourceId first = sources.add("a.rules", "\n  outcome");
  CHECK(tests.value == 1);
  modules.module.rules[0].span = {first, 3, 10};
  const program::Program program = generate(modules.module, sources);
  REQUIRE(program.sources.size() == 2);
  CHECK(program.sources[0].path == "a.rules");
  CHECK(program.sources[1].path == "b.rules");
  CHECK(program.rules[0].place == program::Place{0, 2, 3});
}

}  // namespace
}  // namespace attrib::compiler
