#pragma once

// Runs the code of one rule over the facts of lower strata. Jumps go forward and loops run over
// frozen lists, so every rule ends; fuel bounds how late.

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "vm/bag.h"
#include "vm/join_index.h"
#include "vm/match.h"
#include "vm/pair_body.h"
#include "vm/state.h"

namespace attrib::vm {

// Fact: value.number is the index, extra 1 for an event. Row: number is the row (-1: default),
// extra the table. Set: number. Count: number to extra. Moment: moment.
struct Register {
  Value value;
  std::int64_t extra = 0;
};

class Interpreter {
 public:
  explicit Interpreter(State& state) : state_(state) {}

  // Any rule but those of extracts.
  void run(std::uint32_t rule);
  // The rule of an extract on what it matched. True: it made an event or learned a fact.
  bool run_extract(const Match& match);
  // Forget indexes: facts have changed.
  void forget_indexes();

 private:
  enum class LoopKind : std::uint8_t { List, Near, Keyed, Members, Join };
  struct Loop {
    LoopKind kind = LoopKind::List;
    std::uint16_t reg = 0;
    bool events = false;
    bool facts = true;
    bool one_type = true;
    std::uint32_t body = 0;
    std::uint32_t exit = 0;
    const std::vector<std::uint32_t>* list = nullptr;
    std::uint32_t position = 0;
    const NearIndex* index = nullptr;
    NearWindow window;
    JoinCursor join;
    bool in_lane = false;
    const std::vector<std::uint32_t>* also = nullptr;  // Keyed: those that may be equal.
    std::uint32_t also_position = 0;
    std::uint32_t set = 0;
  };
  struct KeyIndex {
    std::map<Value, std::vector<std::uint32_t>> equal;
    std::vector<std::uint32_t> maybe;  // Null or unknown there.
  };
  struct Reach {
    std::optional<model::Nanos> low, high;
    bool reversed = false;
    model::Point outer = model::Point::Begin, inner = model::Point::Begin;
  };
  struct Draft {
    bool event = false;
    bool own_entity = false;  // The default entity of an event.
    std::uint32_t type = 0;
    EntityId entity = EntityId::None;
    std::vector<Value> fields;
    Meta meta;
    std::optional<model::Blame> blame;
    std::optional<model::Moment> begin;
  };
  // What the beginning of an inner loop's body lets through, when that depends on the loop's own
  // fact only: found once, not once for each fact of the outer loops.
  struct Prefilter {
    std::uint32_t opened = 0;
    std::uint32_t end = 0;  // Past the last filter of that beginning; 0: there is none.
    std::uint32_t body = 0;
    bool made = false;
    std::vector<std::uint32_t> list;
    std::optional<JoinIndex> join, keyed_join;
  };
  // What windows ask of an occurrence.
  struct PointInTime {
    model::Moment at;
    model::Nanos repeats = 0;
    bool plain = false;  // Known, and such that sums need no bounds.
    PointInTime(const model::Moment& moment, model::Nanos over);
  };
  // What a relation comes to for an effect and the causes of a class.
  enum class Pairing : std::uint8_t { NotAsked, None, Weak, Strong };
  // The window of an effect in work, as its causes see it.
  struct PairWindow {
    const std::vector<PointInTime>* causes = nullptr;  // By occurrence.
    const PointInTime* effect = nullptr;
    model::Nanos low = 0, high = 0;
    bool starts_at_cause = true;   // Else it starts at the effect.
    bool cause_repeats = true;     // Else the effect does.
    bool widens_low = false;       // By the repeats; else they widen the high end.
    bool known = true;
    bool plain = false;            // As of a point: the effect's and the bounds.
    bool of_begins = false;        // Of the causes.
    // Can any cause lie in it for sure? If so, any of those after this one?
    [[nodiscard]] bool may_be_sure() const { return known && effect->at.known; }
    [[nodiscard]] bool none_is_sure_from(std::uint32_t cause) const {
      return of_begins && !(*causes)[cause].at.known;
    }
    [[nodiscard]] model::Truth of(std::uint32_t cause) const {
      const PointInTime& point = (*causes)[cause];
      const model::Moment &c = point.at, &e = effect->at;
      if (!known || !c.known || !e.known) return model::Truth::Unknown;
      if (!plain || !point.plain) return exactly(point);
      const bool own_clock = c.clock != model::kNoClock && c.clock == e.clock;
      const model::Nanos error = own_clock ? c.error + e.error : 0;
      model::Nanos least = (starts_at_cause ? e.lo - c.hi : c.lo - e.hi) + error;
      model::Nanos most = (starts_at_cause ? e.hi - c.lo : c.hi - e.lo) - error;
      if (c.stream != 0 && c.stream == e.stream) {  // Places count, as for model::difference().
        const bool forward = starts_at_cause ? c.position < e.position : e.position < c.position;
        if (c.position == e.position) {
          least = most = 0;
        } else if (forward) {
          least = std::max<model::Nanos>(least, 0);
          most = std::max(least, most);
        } else {
          most = std::min<model::Nanos>(most, 0);
          least = std::min(least, most);
        }
      }
      const model::Nanos repeats = cause_repeats ? point.repeats : effect->repeats;
      const model::Nanos from = widens_low ? low - repeats : low;
      const model::Nanos to = widens_low ? high : high + repeats;
      if (most < from || least > to) return model::Truth::No;
      return from <= least && most <= to ? model::Truth::Yes : model::Truth::Unknown;
    }
    [[nodiscard]] model::Truth exactly(const PointInTime& cause) const;
  };
  // The causes of a loop, by what its body asks of them.
  struct Pairs {
    bool planned = false;
    std::optional<PairBody> body;
    std::vector<std::uint32_t> class_of;                    // By occurrence, as far as asked for.
    std::map<std::vector<Value>, std::uint32_t> classes;    // By the values of the body's key.
    std::vector<const std::vector<Value>*> keys;            // By class.
    std::vector<Pairing> pairing;                           // By class, for the effect in work.
    std::unordered_map<const JoinLane*, std::vector<std::uint32_t>> classes_in;  // Asked, never walked.
  };
  // What was looked up in a table before.
  struct Looked {
    struct Hash {
      std::size_t operator()(const std::vector<Value>& key) const;
    };
    std::unordered_map<std::vector<Value>, std::int64_t, Hash> rows;  // By key; -1: the default row.
    std::vector<Value> cells;          // By row, the default one last, and column, as far as asked for.
    std::vector<std::int64_t> places;  // Texts: by row, the same; -1: not asked for.
  };
  struct RecordedAbsence {
    std::size_t depth;
    Absence absence;
  };

  // interpreter.cpp
  void execute(std::uint32_t rule);
  std::uint32_t step(const program::Instruction& i, std::uint32_t pc);
  bool charge(std::uint64_t steps) {
    if (steps <= fuel_) {
      fuel_ -= steps;
      return true;
    }
    out_of_fuel();
    return false;
  }
  void out_of_fuel();
  void forget_deeper(std::size_t depth);
  void stop(const std::string& factor, std::uint64_t limit);
  void note_firing(std::uint32_t pc);
  [[nodiscard]] model::Moment moment(std::uint16_t reg) const;
  [[nodiscard]] Count count(std::uint16_t reg) const;
  [[nodiscard]] model::Truth truth(std::uint16_t reg) const {
    return truth_of(registers_[reg].value);
  }
  void set_truth(std::uint16_t reg, model::Truth t) { set_value(reg, truth_value(t)); }
  void set_value(std::uint16_t reg, const Value& v) { registers_[reg].value = v; }
  void set_moment(std::uint16_t reg, const model::Moment& m);
  void set_fact(std::uint16_t reg, std::uint32_t fact, bool event) {
    registers_[reg] = {{model::ValueKind::Fact, fact}, event ? 1 : 0};
  }
  [[nodiscard]] bool is_event(std::uint16_t reg) const { return registers_[reg].extra == 1; }
  [[nodiscard]] std::uint32_t fact(std::uint16_t reg) const {
    return static_cast<std::uint32_t>(registers_[reg].value.number);
  }
  [[nodiscard]] const Event& event(std::uint16_t reg) const {
    return state_.facts.events[fact(reg)];
  }
  [[nodiscard]] const Occurrence& occurrence(std::uint16_t reg) const {
    return state_.facts.occurrences[fact(reg)];
  }

  // interpreter_load.cpp
  void load(const program::Instruction& i);
  void load_field(const program::Instruction& i) {
    set_value(i.a, is_event(i.b) ? state_.facts.event_values[event(i.b).fields + i.c]
                                 : occurrence(i.b).fields[i.c]);
  }
  void load_attribute(const program::Instruction& i);
  void make_set(const program::Instruction& i);
  void load_sample(const program::Instruction& i);
  void lookup(const program::Instruction& i);
  void load_cell(const program::Instruction& i);
  [[nodiscard]] std::int64_t place_of(std::uint32_t table, std::int64_t row);
  void make_collective(const program::Instruction& i);
  void read_text(const program::Instruction& i);
  void arithmetic(const program::Instruction& i);
  Value attribute(std::uint16_t reg, model::Attribute which);
  Value message_of(std::uint32_t observation);

  // interpreter_judge.cpp
  void test(const program::Instruction& i);
  void aggregate(const program::Instruction& i);
  void compare_registers(const program::Instruction& i);
  void in_list(const program::Instruction& i);
  void window(const program::Instruction& i);
  void covered(const program::Instruction& i);
  void solo(const program::Instruction& i);
  void bursts(const program::Instruction& i);
  void related(const program::Instruction& i);
  bool bag_add(const program::Instruction& i);
  std::uint32_t bag_decided(const program::Instruction& i, std::uint32_t pc);
  void find_decided_bags();
  void absent(const program::Instruction& i);
  [[nodiscard]] const model::Moment& point(std::uint16_t reg, std::uint32_t which) const;

  // interpreter_loops.cpp
  std::uint32_t open(const program::Instruction& i, std::uint32_t pc);
  std::uint32_t next(std::uint32_t pc);
  void set_reach(const program::Instruction& i);
  void open_list(const program::Instruction& i, Loop* loop);
  void open_keyed(const program::Instruction& i, Loop* loop);
  void open_near(const program::Instruction& i, Loop* loop);
  void prefilter(std::uint32_t pc, Loop* loop);
  void filter_list(std::uint32_t pc, const Loop& loop, Prefilter* p);
  [[nodiscard]] std::uint32_t own_filters_end(std::uint32_t pc, const Loop& loop) const;
  bool passes(std::uint32_t pc, std::uint32_t end);
  bool advance(Loop* loop);
  bool advance_list(Loop* loop, std::uint32_t* found);
  void fetch_ahead(const std::vector<std::uint32_t>& list, std::size_t position, bool events) const;
  static bool advance_near(Loop* loop, std::uint32_t* found);
  bool advance_join(Loop* loop, std::uint32_t* found);
  static bool advance_keyed(Loop* loop, std::uint32_t* found);
  bool advance_members(Loop* loop);
  bool skips(const Loop& loop, std::uint32_t found) const;
  std::uint32_t leave_loops_inside(std::uint16_t reg, std::uint32_t pc);
  const KeyIndex& key_index(bool events, std::uint32_t type, bool attribute, std::uint32_t which);
  // Occurrences of the types in a set of the program (0: of all types), in canonical order.
  const std::vector<std::uint32_t>& facts_in(std::uint32_t set);
  std::optional<Value> key_of(const Value& value) const;
  std::vector<std::optional<Value>> keys_of(const std::vector<std::uint32_t>& list, bool events,
                                            bool attribute, std::uint32_t which);

  // interpreter_alike.cpp: the first filters of a loop over events
  void prefilter_alike(const program::Instruction& i, std::uint32_t pc, Loop* loop);
  struct FirstFilters {
    std::uint32_t end = 0;  // Past the last of them.
    bool looks_up = false;
    std::vector<program::Instruction> loads;  // What they read of the event, each thing once.
  };
  [[nodiscard]] std::vector<FirstFilters> first_filters(std::uint32_t pc, std::uint32_t exit,
                                                        std::uint16_t reg) const;
  // One thing that events of a type say, by their places in the list of these.
  struct Column {
    std::vector<Value> values;           // In the order in which they first come.
    std::vector<std::uint32_t> numbers;  // Which of these.
    bool worth_it = false;
  };
  const Column& column(std::uint32_t type, const program::Instruction& load);
  struct Alike {
    std::vector<Value> values;                       // As many a class as there are loads.
    std::vector<std::vector<std::uint32_t>> events;  // By class, in canonical order.
    bool worth_it = false;
  };
  const Alike& alike(std::uint32_t type, const std::vector<program::Instruction>& loads);
  bool passes_with(const Alike& classes, std::size_t of_class, const FirstFilters& filters,
                   std::uint32_t pc);

  // interpreter_join.cpp: the loops of a demotion
  void plan_demotion();
  [[nodiscard]] bool any_cause_inside(std::uint32_t pc, std::uint32_t exit);
  void open_join(const program::Instruction& i, std::uint32_t pc, Loop* loop);
  NearBounds bounds_from(const Occurrence& outer);
  const JoinIndex& join_of(const program::Instruction& i, std::uint32_t pc, const Loop& loop,
                           bool keyed);
  JoinIndex make_join(const std::vector<std::uint32_t>& list, bool keyed);
  [[nodiscard]] std::uint32_t body_behind(std::uint32_t pc, std::uint32_t end,
                                          std::uint32_t exit) const;

  // interpreter_pairs.cpp: the same, where the body of the loop over causes can be taken apart
  bool run_pairs(const program::Instruction& i, std::uint32_t pc, Loop* loop);
  void plan_pairs(std::uint32_t pc, Pairs* pairs);
  void pair_type(Pairs* pairs, const PairWindow& window, JoinCursor* join);
  bool passes_all(const std::vector<program::Instruction>& code);
  std::uint32_t class_of(Pairs* pairs, std::uint32_t cause) {
    const std::uint32_t known = pairs->class_of[cause];
    return known != kNone ? known : find_class(pairs, cause);
  }
  std::uint32_t find_class(Pairs* pairs, std::uint32_t cause);
  Pairing pairing_of(Pairs* pairs, std::uint32_t of_class);
  Pairing best_pairing(Pairs* pairs, const JoinLane* lane);
  PairWindow pair_window(const PairBody& body);
  const std::vector<PointInTime>& points_in_time(model::Point point);

  // interpreter_emit.cpp
  EntityId node_of_stream(const evidence::Observation& o);
  const std::vector<std::uint32_t>& placing_captures(std::uint32_t extract);
  void start_emission(const program::Instruction& i);
  const Meta& meta_of(std::uint32_t type);
  void emit_field(const program::Instruction& i);
  void emit_meta(const program::Instruction& i);
  void emit_done(const program::Instruction& i);
  void file_event();
  void file_symptom(model::Band band);
  void file_inferred(const Loop* first, Emission* e);
  Value entity_field(const model::Type& type, const Value& value);
  EntityId default_entity();
  void learn(const program::Instruction& i);
  void list_learned();
  std::uint32_t edge(const program::Instruction& i, std::uint32_t pc);
  void say(const program::Instruction& i);
  std::uint32_t say_done(const program::Instruction& i, std::uint32_t pc);
  void outcome(const program::Instruction& i);

  State& state_;
  std::uint32_t rule_ = 0;
  const program::Rule* code_ = nullptr;
  std::vector<Register> registers_;
  std::vector<model::Moment> moments_;  // By register, where it holds one.
  std::vector<Bag> bags_;                                         // By register.
  std::vector<bool> decided_by_one_;  // By register: see find_decided_bags().
  std::vector<std::optional<bool>> has_bags_;  // By rule, as far as asked for.
  std::vector<std::pair<std::size_t, std::uint16_t>> live_bags_;  // Loop depth, register.
  std::vector<Loop> loops_;
  Reach reach_;
  struct {
    Value value;
    bool attribute = false;
    std::uint32_t which = 0;
  } sought_;
  std::uint64_t fuel_ = 0;
  bool fuel_is_total_ = false;  // What is left of the run, not of the rule.
  bool stopped_ = false;
  std::uint64_t made_ = 0;
  std::uint64_t bag_members_ = 0;
  std::uint64_t sequence_ = 0;

  Draft draft_;
  std::int64_t last_row_ = -1;  // Text: place of the row last looked up.
  std::vector<Looked> looked_;  // By table.
  std::vector<Value> sought_key_;
  std::string message_;
  std::vector<std::int64_t> messages_;  // Texts: by observation, as far as asked for; -1: not yet.
  std::vector<std::optional<Meta>> metas_;                   // By symptom type.
  std::int64_t scanned_type_ = 0;  // Text: name of the type of the loop opened last.
  Absence last_coverage_;
  bool coverage_known_ = false;
  std::vector<RecordedAbsence> absences_;
  std::vector<bool> effect_registers_, cause_registers_;  // By register; empty: no demotion.
  bool by_effect_ = false;

  // Extract rules: what they look at.
  const Match* match_ = nullptr;
  const evidence::Observation* observation_ = nullptr;
  EntityId here_node_ = EntityId::None;
  std::uint32_t here_rank_ = kNone;
  std::vector<std::optional<EntityId>> stream_nodes_;                // By stream, as far as asked for.
  std::vector<std::optional<std::vector<std::uint32_t>>> placing_;   // By extract, the same.

  std::map<std::uint32_t, Prefilter> prefilters_;  // By instruction, of the rule that runs.
  std::map<std::uint32_t, Pairs> pairs_;           // The same.
  std::map<std::array<std::uint32_t, 3>, Column> columns_;  // By event type, field or attribute, number.
  std::map<std::vector<std::uint32_t>, Alike> alike_;       // By event type and all of these.
  std::map<std::array<std::uint32_t, 4>, KeyIndex> key_indexes_;
  std::map<std::array<std::uint32_t, 6>, JoinIndex> joins_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> facts_in_;
  std::array<std::vector<PointInTime>, 3> points_in_time_;  // By point and occurrence, if asked for.
  std::array<std::optional<std::vector<model::Nanos>>, 2> disorder_;  // By begins, by all points.
  std::map<EntityId, std::vector<std::uint32_t>> decoded_on_;  // For solo.
  bool decoded_on_made_ = false;
};

// The value of a capture, in the place of its observation.
Value capture_value(State& state, const program::Capture& capture,
                    const std::optional<model::Constant>& text, EntityId node,
                    std::uint32_t stream);

}  // namespace attrib::vm
