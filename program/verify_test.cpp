#include "program/verify.h"

#include <doctest/doctest.h>

#include "program/codec.h"
#include "program/test_program.h"

namespace attrib::program {
namespace {

constexpr std::size_t kExtract = 0, kDecode = 1, kInfer = 2, kDemote = 3;

std::string refusal(Program program) {
  const auto verified = verify(std::move(program));
  return verified.ok() ? "" : verified.error().message;
}

// A damage to the test program, and how it is refused.
template <typename Damage>
std::string after(const Damage& damage) {
  Program program = test_program();
  damage(program);
  return refusal(std::move(program));
}

Instruction& at(Program& program, std::size_t rule, std::size_t pc) {
  return program.code[program.rules[rule].code_begin + pc];
}

// The same for one instruction of a rule.
std::string with(std::size_t rule, std::size_t pc, const Instruction& instruction) {
  return after([&](Program& p) { at(p, rule, pc) = instruction; });
}

TEST_CASE("a well formed program is verified and has the digest of its meaning") {
  const auto verified = verify(test_program());
  REQUIRE(verified.ok());
  CHECK(verified.value().digest() == digest(test_program()));
}

TEST_CASE("hostile schemas are refused") {
  CHECK(after([](Program& p) { p.events.push_back(p.events[0]); }) ==
        "event `Xid` is out of order");
  CHECK(after([](Program& p) { p.symptoms[0].key = {9}; }) ==
        "symptom `gpu.fault`: key names a field it has not");
  CHECK(after([](Program& p) { p.symptoms[0].on.clear(); }) ==
        "symptom `gpu.fault`: about no kind of entity");
  CHECK(after([](Program& p) { p.symptoms[0].quiet = -1; }) ==
        "symptom `gpu.fault`: quiet is negative");
  CHECK(after([](Program& p) {
          p.symptoms[0].tags = {"b", "a"};
        }) == "symptom `gpu.fault`: tags are unsorted");
  CHECK(after([](Program& p) { p.events[0].fields[0].type.kind = model::ValueKind::Bag; }) ==
        "`Xid.code`: no type for a field");
  CHECK(after([](Program& p) { p.events[0].fields.resize(257, p.events[0].fields[0]); }) ==
        "`Xid`: 257 fields, at most 256");
  CHECK(after([](Program& p) { p.constants[0].kind = model::ValueKind::Set; }) ==
        "constant 0 is none");
  CHECK(after([](Program& p) { p.type_sets = {{0, 2}}; }) == "type set 1: symptom 2 of 2");
  CHECK(after([](Program& p) { p.type_sets = {{1, 0}}; }) == "type set 1 is not sorted");
  CHECK(after([](Program& p) { p.places.pop_back(); }) == "46 places for 47 instructions");
  CHECK(after([](Program& p) { p.places[3].source = 5; }) == "place 3 names source 5 of 1");
}

TEST_CASE("hostile tables are refused") {
  const auto table = [](const auto& damage) {
    return after([&](Program& p) { damage(p.tables[0]); });
  };
  CHECK(table([](model::Table& t) { t.rows[1].keys[0].values[0].number = 48; }) ==
        "table `codes`: rows 0 and 1 overlap");
  CHECK(table([](model::Table& t) {
          t.match = model::TableMatch::First;
          t.rows[1].keys[0].values[0].number = 48;
        }) == "");
  CHECK(table([](model::Table& t) { t.rows[1].keys[0].values[1].number = 0x1ff; }) ==
        "table `codes`: rows 1 and 2 overlap");
  CHECK(table([](model::Table& t) { t.default_row.results.clear(); }) ==
        "table `codes`: default row: not a result for each column");
  CHECK(table([](model::Table& t) { t.default_row.keys = t.rows[0].keys; }) ==
        "table `codes`: the default row has keys");
  CHECK(table([](model::Table& t) { t.rows[2].keys.clear(); }) ==
        "table `codes`: row 2: not a key for each column");
  CHECK(table([](model::Table& t) { t.rows[2].keys[0].values[1].number = 1; }) ==
        "table `codes`: row 2: a set is not sorted");
  CHECK(table([](model::Table& t) { t.rows[1].keys[0].values[1].number = 1; }) ==
        "table `codes`: row 1: a range has two numbers in order");
  CHECK(table([](model::Table& t) { t.rows[3].keys[0].bits = 1; }) ==
        "table `codes`: row 3: a ternary cell does not fit");
  CHECK(table([](model::Table& t) { t.keys[0].match = model::KeyMatch::Exact; }) ==
        "table `codes`: row 3: a ternary cell does not fit");
  CHECK(table([](model::Table& t) { t.rows[0].results[0] = model::int_constant(1); }) ==
        "table `codes`: row 0: a result is not of the column's type");
  CHECK(table([](model::Table& t) { t.rows[0].keys[0].values[0] = model::text_constant("x"); }) ==
        "table `codes`: row 0: a value is not of the column's type");
  CHECK(table([](model::Table& t) { t.rows.resize(65537, t.rows[0]); }) ==
        "table `codes`: 65537 rows, at most 65536");
  CHECK(table([](model::Table& t) { t.keys.clear(); }) == "table `codes`: 0 key columns, 1 to 16");
}

TEST_CASE("hostile extracts are refused") {
  const auto extract = [](const auto& damage) {
    return after([&](Program& p) { damage(p.extracts[0]); });
  };
  const auto line = [&](const auto& damage) {
    return extract([&](Extract& e) { damage(e.alternatives[0].lines[0]); });
  };
  const auto literals = [&](std::vector<std::string> texts) {
    return extract([&](Extract& e) { e.alternatives[0].literals = std::move(texts); });
  };
  CHECK(literals({"M: Xid"}) == "");
  CHECK(literals({"Xid\t", "Xid "}) == "");
  const std::string unproved =
      "extract `demo.xid`: alternative 0: a line may match that holds none of its literals";
  CHECK(literals({"NVRM: Yid"}) == unproved);
  CHECK(literals({"Xid "}) == unproved);  // A tab may follow.
  CHECK(literals({}) == "extract `demo.xid`: alternative 0: no literal and no `slow` reason");
  CHECK(literals({"NVRM: Xid", "NVRM: Xid"}) ==
        "extract `demo.xid`: alternative 0: literals out of order");
  CHECK(literals({""}) == "extract `demo.xid`: alternative 0: literal 0 has 0 bytes");
  CHECK(literals(std::vector<std::string>(65, "a")) ==
        "extract `demo.xid`: alternative 0: 65 literals, at most 64");
  // A template's texts stand as they are; those of a regex perhaps in any case.
  const auto any_case = [&](std::string regex, std::vector<std::string> texts) {
    return extract([&](Extract& e) {
      model::Alternative& alternative = e.alternatives[0];
      if (!regex.empty()) {
        alternative.lines[0].parts.clear();
        alternative.lines[0].regex = regex;
      }
      alternative.literals = std::move(texts);
      alternative.any_case = true;
    });
  };
  CHECK(any_case("", {"m: xid"}) == unproved);
  CHECK(any_case("(?i)NVRM: (?:Xid|SXid)", {"m: "}) == "");
  CHECK(any_case("NVRM: (?:Xid|SXid)", {"nvrm"}) == "");
  CHECK(any_case("(?i)NVRM: Xid", {"yid"}) == unproved);
  CHECK(any_case("(?i)NVRM: Xid", {"Xid"}) ==
        "extract `demo.xid`: alternative 0: literal 0 has capitals and stands for any case");
  CHECK(any_case("(?i)NVRM: Xid", {}) ==
        "extract `demo.xid`: alternative 0: no literal to be looked for in any case");
  CHECK(extract([](Extract& e) {
          e.alternatives[0].lines[0].parts.clear();
          e.alternatives[0].lines[0].regex = "(?i)NVRM: Xid";
          e.alternatives[0].literals = {"nvrm"};
        }) == unproved);
  CHECK(extract([](Extract& e) {
          e.alternatives[0].lines.push_back(e.alternatives[0].lines[0]);
        }) == "extract `demo.xid`: alternative 0: more lines than `within`");
  CHECK(extract([](Extract& e) { e.alternatives[0].within_lines = 1025; }) ==
        "extract `demo.xid`: alternative 0: within 1025 lines, at most 1024");
  CHECK(extract([](Extract& e) { e.alternatives.clear(); }) ==
        "extract `demo.xid`: lines go with line alternatives");
  CHECK(extract([](Extract& e) { e.keep_last = true; }).empty());
  CHECK(extract([](Extract& e) {
          e.keep_last = true;
          e.alternatives[0].lines.push_back(e.alternatives[0].lines[0]);
          e.alternatives[0].within_lines = 1;
        }) == "extract `demo.xid`: `keep last` goes with single lines");
  CHECK(extract([](Extract& e) {
          e.keep_last = true;
          e.kind = ExtractKind::Record;
          e.captures.clear();
          e.alternatives.clear();
        }) == "extract `demo.xid`: `keep last` goes with single lines");
  CHECK(extract([](Extract& e) { e.keep_first_by = {0}; }).empty());
  CHECK(extract([](Extract& e) { e.keep_first_by = {0, 77}; }) ==
        "extract `demo.xid`: no capture 77 to keep the first by");
  CHECK(extract([](Extract& e) {
          e.keep_first_by = {0};
          e.keep_last = true;
        }) == "extract `demo.xid`: `keep first` goes with single lines, and not with `keep last`");
  CHECK(extract([](Extract& e) { e.rule = 1; }) == "extract `demo.xid`: its rule is `demo.fault`");
  CHECK(extract([](Extract& e) { e.rule = 77; }) == "extract `demo.xid`: no such rule");
  CHECK(extract([](Extract& e) { e.event = 3; }) == "extract `demo.xid`: no such event");
  CHECK(extract([](Extract& e) { e.sources = 0xf000; }) == "extract `demo.xid`: no such sources");
  CHECK(after([](Program& p) { p.extracts.clear(); }) == "1 extract rules for 0 extracts");
  CHECK(line([](model::LineTemplate& l) { l.parts[2].capture = 9; }) ==
        "extract `demo.xid`: alternative 0: a hole captures into nothing");
  CHECK(line([](model::LineTemplate& l) { l.parts[2].reader = model::Reader::Ms; }) ==
        "extract `demo.xid`: alternative 0: a hole reads another kind than `code`");
  CHECK(line([](model::LineTemplate& l) { l.parts[6].kind = model::PartKind::OptionalBegin; }) ==
        "extract `demo.xid`: alternative 0: optional parts nest");
  CHECK(line([](model::LineTemplate& l) { l.parts.pop_back(); }) ==
        "extract `demo.xid`: alternative 0: an optional part does not end");
  CHECK(line([](model::LineTemplate& l) { l.parts[1].kind = model::PartKind::Rest; }) ==
        "extract `demo.xid`: alternative 0: `{...}` is not the last part");
  CHECK(line([](model::LineTemplate& l) { l.parts[0].text.append(20'000, 'x'); }) ==
        "extract `demo.xid`: alternative 0: 20016 bytes, at most 16384");
  const auto regex = [&](const std::string& text) {
    return extract([&](Extract& e) {
      e.alternatives[0].lines[0].parts.clear();
      e.alternatives[0].lines[0].regex = text;
      e.alternatives[0].literals.clear();
      e.alternatives[0].slow_reason = "a test";
    });
  };
  CHECK(regex("code (?P<code>[0-9]+)") == "");
  CHECK(regex("(") == "extract `demo.xid`: alternative 0: missing ): (");
  CHECK(regex("(?P<other>x)") == "extract `demo.xid`: alternative 0: group `other` is no capture");
  CHECK(regex("((a{100}){100}){100}") != "");
}

TEST_CASE("rules out of order or with code of others are refused") {
  CHECK(after([](Program& p) { p.rules[2].kind = RuleKind::Extract; }) ==
        "rule `demo.suspect`: out of order");
  CHECK(after([](Program& p) { p.rules[1].code_begin = 5; }) ==
        "rule `demo.fault`: its code is 5..20, and 7..47 is left");
  CHECK(after([](Program& p) { p.rules[3].code_end = 99; }) ==
        "rule `demo.behind`: its code is 36..99, and 36..47 is left");
  CHECK(after([](Program& p) {
          p.code.emplace_back();
          p.places.emplace_back();
        }) == "1 instructions of no rule");
  CHECK(after([](Program& p) { p.rules[1].stratum = 4; }) ==
        "rule `demo.fault`: a layer without infer");
  CHECK(after([](Program& p) { p.rules[2].stratum = 4; }) == "rule `demo.suspect`: layer 4 of 1");
  CHECK(after([](Program& p) { p.infer_strata = 5; }) == "5 layers for 4 rules");
  CHECK(after([](Program& p) { p.rules[3].registers.resize(8193, model::ValueKind::Int); }) ==
        "rule `demo.behind`: too many registers");
}

TEST_CASE("loops that do not nest are refused") {
  CHECK(with(kDecode, 11, {Opcode::Next, 1}) ==
        "rule `demo.fault`, instruction 0011 (`next`): the innermost loop is over r0");
  CHECK(with(kDecode, 0, {Opcode::OpenEvents, 0, 0, 0, 5}) ==
        "rule `demo.fault`, instruction 0011 (`next`): its loop leaves to 0005");
  CHECK(with(kDecode, 11, {Opcode::Learn}) ==
        "rule `demo.fault`, instruction 0000 (`open.events`): this loop has no `next`");
  CHECK(with(kDecode, 0, {Opcode::LoadHere, 6, 0, 2}) ==
        "rule `demo.fault`, instruction 0011 (`next`): no loop to end");
  CHECK(with(kInfer, 4, {Opcode::OpenKeyed, 0, 0, 0, 9}) ==
        "rule `demo.suspect`, instruction 0008 (`next`): the innermost loop is over r0");
  CHECK(with(kDecode, 5, {Opcode::Halt}) ==
        "rule `demo.fault`, instruction 0005 (`halt`): a rule ends in its one `halt`");
  CHECK(with(kDecode, 12, {Opcode::LoadHere, 6, 0, 2}) ==
        "rule `demo.fault`, instruction 0012 (`here`): a rule ends in its one `halt`");
}

TEST_CASE("21 loops in one another are refused, 20 are not") {
  const auto nested = [](std::uint16_t depth) {
    Program program = test_program();
    std::vector<Instruction> code;
    for (std::uint16_t i = 0; i < depth; ++i) {
      code.push_back({Opcode::OpenAny, i, 0, 0, static_cast<std::uint32_t>(2 * depth - i)});
    }
    for (std::uint16_t i = depth; i-- > 0;) code.push_back({Opcode::Next, i});
    code.push_back({Opcode::Halt});
    add_test_rule(program, RuleKind::Ambiguous, "demo.deep",
                  std::vector(depth, model::ValueKind::Fact), code);
    return refusal(std::move(program));
  };
  CHECK(nested(20) == "");
  CHECK(nested(21) ==
        "rule `demo.deep`, instruction 0020 (`open.any`): more than 20 loops in one another");
}

TEST_CASE("jumps go forward, stay in the rule and enter no loop and no output") {
  const auto jump = [](std::uint32_t target) {
    return with(kDecode, 4, {Opcode::Filter, 3, 4, 0, target});
  };
  const std::string place = "rule `demo.fault`, instruction 0004 (`filter`): ";
  CHECK(jump(12) == "");  // Leaves the loop.
  CHECK(jump(5) == "");
  CHECK(jump(8) ==
        "rule `demo.fault`, instruction 0008 (`emit.symptom`): r6 is read before it is written");
  CHECK(jump(2) == place + "target 0002 is not later");
  CHECK(jump(4) == place + "target 0004 is not later");
  CHECK(jump(13) == place + "target 0013 is past the rule");
  CHECK(jump(0xffffffff) == place + "target 4294967295 is past the rule");
  CHECK(jump(9) == place + "target 0009 is inside an output");
  Program into = test_program();
  at(into, kInfer, 2) = {Opcode::Filter, 4, 4, 0, 6};
  CHECK(refusal(into) ==
        "rule `demo.suspect`, instruction 0002 (`filter`): target 0006 is inside another loop");
}

TEST_CASE("registers are read only where they are written on every path") {
  // Passing over the look-up leaves r4 and r5 unwritten.
  CHECK(after([](Program& p) { at(p, kDecode, 4).d = 6; }) ==
        "rule `demo.fault`, instruction 0006 (`cell`): r4 is read before it is written");
  // What a loop wrote is unknown after it: it may not have run.
  CHECK(after([](Program& p) {
          at(p, kInfer, 9) = {Opcode::LoadAttr, 6, 0, 0};
        }) ==
        "rule `demo.suspect`, instruction 0012 (`emit.field`): r5 is read before it is written");
  // A fact is bound in its loop only.
  CHECK(with(kInfer, 10, {Opcode::LoadAttr, 6, 2, 0}) ==
        "rule `demo.suspect`, instruction 0010 (`attr`): r2 is read before it is written");
  CHECK(with(kDemote, 4, {Opcode::OpenNear, 0, 0, 0, 9}) != "");
}

TEST_CASE("registers have one kind") {
  CHECK(with(kDecode, 1, {Opcode::LoadField, 6, 0, 0}) ==
        "rule `demo.fault`, instruction 0001 (`field`): r6 holds kind entity, this makes number");
  CHECK(with(kDecode, 4, {Opcode::Filter, 1, 4, 0, 11}) ==
        "rule `demo.fault`, instruction 0004 (`filter`): r1 holds kind number, not truth");
  CHECK(with(kDecode, 1, {Opcode::LoadField, 99, 0, 0}) ==
        "rule `demo.fault`, instruction 0001 (`field`): r99 of 7 registers");
  CHECK(with(kDecode, 9, {Opcode::EmitField, 5, 0}) ==
        "rule `demo.fault`, instruction 0009 (`emit.field`): field `code` is of kind number, r5 "
        "holds word");
  CHECK(with(kDecode, 3, {Opcode::Compare, 3, 1, 0, 0}) ==
        "rule `demo.fault`, instruction 0003 (`cmp`): r0 holds kind fact, not any");
  CHECK(with(kDecode, 3, {Opcode::Add, 3, 1, 2}) ==
        "rule `demo.fault`, instruction 0003 (`add`): cannot add these");
  CHECK(with(kDecode, 5, {Opcode::Lookup, 4, 5, 1, 0}) ==
        "rule `demo.fault`, instruction 0005 (`lookup`): r5 is read before it is written");
  CHECK(with(kDecode, 5, {Opcode::Lookup, 4, 1, 2, 0}) ==
        "rule `demo.fault`, instruction 0005 (`lookup`): 2 keys of 1");
}

TEST_CASE("indexes stay in their sections") {
  CHECK(with(kDecode, 0, {Opcode::OpenEvents, 0, 7, 0, 12}) ==
        "rule `demo.fault`, instruction 0000 (`open.events`): event type 7 of 1");
  CHECK(with(kDecode, 1, {Opcode::LoadField, 1, 0, 2}) ==
        "rule `demo.fault`, instruction 0001 (`field`): field 2 of 2");
  CHECK(with(kDecode, 2, {Opcode::LoadConst, 2, 0, 0, 5}) ==
        "rule `demo.fault`, instruction 0002 (`const`): constant 5 of 5");
  CHECK(with(kDecode, 3, {Opcode::InList, 3, 1, 9, 0}) ==
        "rule `demo.fault`, instruction 0003 (`in.list`): 9 constants from 0 of 5");
  CHECK(with(kDecode, 3, {Opcode::InList, 3, 1, 2, 0}) ==
        "rule `demo.fault`, instruction 0003 (`in.list`): cannot compare constant 1 with it");
  CHECK(with(kDecode, 3, {Opcode::Compare, 3, 1, 2, 6}) ==
        "rule `demo.fault`, instruction 0003 (`cmp`): no such comparison");
  CHECK(with(kDecode, 5, {Opcode::Lookup, 4, 1, 1, 1}) ==
        "rule `demo.fault`, instruction 0005 (`lookup`): table 1 of 1");
  CHECK(with(kDecode, 6, {Opcode::LoadCell, 5, 4, 1}) ==
        "rule `demo.fault`, instruction 0006 (`cell`): column 1 of 1");
  CHECK(with(kDecode, 7, {Opcode::LoadHere, 6, 0, 3}) ==
        "rule `demo.fault`, instruction 0007 (`here`): not in decode rules");
  CHECK(with(kDecode, 8, {Opcode::EmitSymptom, 6, 2}) ==
        "rule `demo.fault`, instruction 0008 (`emit.symptom`): symptom type 2 of 2");
  CHECK(with(kDecode, 10, {Opcode::EmitDone, 4}) ==
        "rule `demo.fault`, instruction 0010 (`emit.done`): band 4 of 4");
  CHECK(with(kDemote, 2, {Opcode::LoadParam, 3, 0, 0, 1}) ==
        "rule `demo.behind`, instruction 0002 (`param`): parameter 1 of 1");
  CHECK(with(kDemote, 6, {Opcode::HasTag, 5, 1, 0, 1}) ==
        "rule `demo.behind`, instruction 0006 (`tag`): text 1 of 1");
  CHECK(with(kDemote, 5, {Opcode::Window, 4, 1, 0, 3}) ==
        "rule `demo.behind`, instruction 0005 (`window`): no such points");
  CHECK(with(kDecode, 4, {Opcode::Filter, 3, 0, 0, 11}) ==
        "rule `demo.fault`, instruction 0004 (`filter`): mask 0");
  CHECK(with(kExtract, 0, {Opcode::LoadCapture, 0, 0, 2}) ==
        "rule `demo.xid`, instruction 0000 (`capture`): capture 2 of 2");
  const auto read_by = [](std::uint16_t reader) {
    return after([&](Program& p) {
      at(p, kExtract, 0) = {Opcode::LoadCapture, 1, 0, 1};
      at(p, kExtract, 1) = {Opcode::ReadText, 0, 1, reader};
    });
  };
  CHECK(read_by(static_cast<std::uint16_t>(model::Reader::U16)) == "");
  CHECK(read_by(static_cast<std::uint16_t>(model::Reader::Sec)) ==
        "rule `demo.xid`, instruction 0001 (`read`): r0 holds kind number, this makes duration");
  CHECK(read_by(static_cast<std::uint16_t>(model::Reader::Choice)) ==
        "rule `demo.xid`, instruction 0001 (`read`): no reader of text alone");
  CHECK(read_by(99) == "rule `demo.xid`, instruction 0001 (`read`): reader 99 of 27");
  CHECK(with(kDecode, 11, {Opcode::Next, 0, 1}) ==
        "rule `demo.fault`, instruction 0011 (`next`): unused operand is 1");
}

TEST_CASE("outputs are whole") {
  CHECK(with(kDecode, 8, {Opcode::LoadHere, 6, 0, 2}) ==
        "rule `demo.fault`, instruction 0009 (`emit.field`): no emission was started");
  CHECK(with(kDecode, 10, {Opcode::LoadHere, 6, 0, 2}) ==
        "rule `demo.fault`, instruction 0011 (`next`): an emission is not done");
  CHECK(with(kDecode, 9, {Opcode::LoadHere, 6, 0, 2}) ==
        "rule `demo.fault`, instruction 0010 (`emit.done`): field `code` is not given");
  CHECK(with(kExtract, 4, {Opcode::EmitField, 0, 0}) ==
        "rule `demo.xid`, instruction 0004 (`emit.field`): fields are out of order");
  CHECK(with(kExtract, 4, {Opcode::EmitMeta, 1, 0}) ==
        "rule `demo.xid`, instruction 0004 (`emit.meta`): events have no such values");
}

TEST_CASE("each kind of rule has its own inputs and outputs") {
  CHECK(with(kDecode, 0, {Opcode::OpenSymptoms, 0, 0, 0, 12}) ==
        "rule `demo.fault`, instruction 0000 (`open.symptoms`): not in decode rules");
  CHECK(with(kInfer, 0, {Opcode::OpenAny, 0, 0, 0, 15}) ==
        "rule `demo.suspect`, instruction 0000 (`open.any`): not in infer rules");
  CHECK(with(kDemote, 7, {Opcode::OutcomeIs}) ==
        "rule `demo.behind`, instruction 0007 (`outcome`): not in demote rules");
  CHECK(with(kDecode, 7, {Opcode::LoadHere, 6, 0, 0}) ==
        "rule `demo.fault`, instruction 0007 (`here`): not in decode rules");
  CHECK(with(kExtract, 0, {Opcode::MetricName, 1}) ==
        "rule `demo.xid`, instruction 0000 (`metric.name`): the extract is not of metrics");
}

TEST_CASE("scans know what they look for") {
  CHECK(with(kInfer, 3, {Opcode::LoadField, 3, 0, 0}) ==
        "rule `demo.suspect`, instruction 0004 (`open.keyed`): no `seek` comes right before");
  CHECK(with(kInfer, 3, {Opcode::Seek, 3, 0, 7}) ==
        "rule `demo.suspect`, instruction 0004 (`open.keyed`): field 7 of 2");
  CHECK(with(kInfer, 3, {Opcode::Seek, 3, 0, 1}) ==
        "rule `demo.suspect`, instruction 0004 (`open.keyed`): the value sought is not of the "
        "key's kind");
  CHECK(with(kInfer, 3, {Opcode::Seek, 3, 1, 3}) ==
        "rule `demo.suspect`, instruction 0004 (`open.keyed`): no key: attribute 3");
  CHECK(with(kInfer, 4, {Opcode::OpenSymptoms, 2, 0, 0, 9}) ==
        "rule `demo.suspect`, instruction 0003 (`seek`): no keyed `open` comes next");
  CHECK(with(kDemote, 4, {Opcode::OpenNearAny, 1, 1, 0, 9})
            .ends_with("instruction 0004 (`open.near.any`): type set 1 of 1"));
  CHECK(with(kDemote, 3, {Opcode::LoadConst, 2, 0, 0, 1}) ==
        "rule `demo.behind`, instruction 0004 (`open.near`): no `reach` came before");
}

TEST_CASE("a bag holds one kind of value") {
  CHECK(with(kInfer, 7, {Opcode::BagAdd, 1, 4, 4, 2}) ==
        "rule `demo.suspect`, instruction 0009 (`bag.least`): r5 holds kind number, this makes "
        "truth");
  CHECK(with(kInfer, 7, {Opcode::BagAdd, 1, 5, 4, 1}) ==
        "rule `demo.suspect`, instruction 0007 (`bag.add`): r1 holds kind bag, not fact");
}

TEST_CASE("an infer rule reads lower layers only") {
  CHECK(after([](Program& p) { at(p, kInfer, 0).b = 1; }) ==
        "rule `demo.suspect` reads `gpu.suspect`, which its own or a later layer makes");
}

TEST_CASE("an unknown opcode is refused") {
  CHECK(with(kDecode, 3, {static_cast<Opcode>(0xee)}) ==
        "rule `demo.fault`, instruction 0003 (`?`): unknown opcode");
}

}  // namespace
}  // namespace attrib::program
