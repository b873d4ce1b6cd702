// The loop over causes of a demotion whose body can be taken apart (pair_body.h): causes that look
// alike to the rule are asked once for each effect, so that a pair costs its window and little
// else.

#include <algorithm>

#include "vm/interpreter.h"

namespace attrib::vm {

using model::Role;
using model::Truth;
using program::Instruction;
using program::Opcode;

namespace {

constexpr std::uint32_t kNoEdge = kNone - 1;  // Of a class: its causes have none.

}  // namespace

// All pairs of the effect that the outer loop has bound. False: the loop must go through its body.
bool Interpreter::run_pairs(const Instruction& i, std::uint32_t pc, Loop* loop) {
  Pairs& pairs = pairs_[pc];
  if (!pairs.planned) plan_pairs(pc, &pairs);
  if (!pairs.body) return false;
  if (occurrence(i.c).meta.role == Role::Note || !passes_all(pairs.body->effect)) return true;
  pairs.pairing.assign(pairs.pairing.size(), Pairing::NotAsked);
  const PairWindow window = pair_window(*pairs.body);
  while (!stopped_ && charge(1) && loop->join.next_type()) {
    pair_type(&pairs, window, &loop->join);
  }
  return true;
}

void Interpreter::plan_pairs(std::uint32_t pc, Pairs* pairs) {
  pairs->planned = true;
  const std::span<const Instruction> code(state_.program.code.data() + code_->code_begin,
                                          code_->code_end - code_->code_begin);
  pairs->body = pair_body(*code_, code, pc);
  if (!pairs->body) return;
  if (registers_.size() < pairs->body->registers) registers_.resize(pairs->body->registers);
  passes_all(pairs->body->once);
  pairs->class_of.assign(state_.facts.occurrences.size(), kNone);
}

bool Interpreter::passes_all(const std::vector<Instruction>& code) {
  for (const Instruction& i : code) {
    if (!charge(1)) return false;
    if (i.op != Opcode::Filter) {
      step(i, 0);
    } else if ((i.b & (1U << static_cast<unsigned>(truth(i.a)))) == 0) {
      return false;
    }
  }
  return true;
}

std::uint32_t Interpreter::find_class(Pairs* pairs, std::uint32_t cause) {
  std::uint32_t& found = pairs->class_of[cause];
  const PairBody& body = *pairs->body;
  const Role role = state_.facts.occurrences[cause].meta.role;
  set_fact(body.edge.a, cause, false);
  if (role == Role::End || role == Role::Note || !passes_all(body.cause)) return found = kNoEdge;
  std::vector<Value> key;
  key.reserve(body.key.size());
  for (const std::uint16_t reg : body.key) key.push_back(registers_[reg].value);
  const auto [it, fresh] =
      pairs->classes.try_emplace(std::move(key), static_cast<std::uint32_t>(pairs->keys.size()));
  if (fresh) {
    pairs->keys.push_back(&it->first);
    pairs->pairing.push_back(Pairing::NotAsked);
  }
  return found = it->second;
}

Interpreter::Pairing Interpreter::pairing_of(Pairs* pairs, std::uint32_t of_class) {
  if (of_class == kNoEdge) return Pairing::None;
  if (pairs->pairing[of_class] != Pairing::NotAsked) return pairs->pairing[of_class];
  const PairBody& body = *pairs->body;
  for (std::size_t k = 0; k < body.key.size(); ++k) {
    set_value(body.key[k], (*pairs->keys[of_class])[k]);
  }
  const Truth relation = passes_all(body.pair) ? truth(body.relation) : Truth::No;
  const bool surely = occurrence(body.edge.b).meta.role == Role::Origin;
  const Pairing found = relation == Truth::Yes                  ? Pairing::Strong
                        : relation == Truth::Unknown && !surely ? Pairing::Weak
                                                                : Pairing::None;
  return pairs->pairing[of_class] = found;
}

// The best that some cause of a lane can come to; of a short one it is not worth asking.
Interpreter::Pairing Interpreter::best_pairing(Pairs* pairs, const JoinLane* lane) {
  if (lane == nullptr) return Pairing::None;
  if (lane->list.size() <= 2 * std::size_t{state_.edges.limit()}) return Pairing::Strong;
  const auto [it, fresh] = pairs->classes_in.try_emplace(lane);
  std::vector<std::uint32_t>& classes = it->second;
  if (fresh) {
    for (const std::uint32_t cause : lane->list) classes.push_back(class_of(pairs, cause));
    std::sort(classes.begin(), classes.end());
    classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  }
  Pairing best = Pairing::None;
  for (const std::uint32_t of_class : classes) {
    best = std::max(best, pairing_of(pairs, of_class));
    if (best == Pairing::Strong) break;
  }
  return best;
}

// Differences of two such, with their errors, fit 64 bits, and are as they are or on the same side of what
// lies within forever as if they had been cut to it.
Interpreter::PointInTime::PointInTime(const model::Moment& moment, model::Nanos over)
    : at(moment), repeats(over) {
  constexpr model::Nanos kYear = model::kForever / 120;
  const auto within = [](model::Nanos n, model::Nanos most) { return -most <= n && n <= most; };
  plain = at.known && within(at.error, kYear) && within(repeats, kYear) &&
          within(at.lo, model::kForever) && within(at.lo + at.error, model::kForever) &&
          within(at.hi, model::kForever) && within(at.hi - at.error, model::kForever);
}

const std::vector<Interpreter::PointInTime>& Interpreter::points_in_time(model::Point point) {
  std::vector<PointInTime>& out = points_in_time_[static_cast<std::size_t>(point)];
  if (!out.empty()) return out;
  charge(state_.facts.occurrences.size());
  out.reserve(state_.facts.occurrences.size());
  for (const Occurrence& o : state_.facts.occurrences)
    out.emplace_back(point_of(o, point), repeats_of(o));
  return out;
}

Interpreter::PairWindow Interpreter::pair_window(const PairBody& body) {
  const Instruction& i = body.window;
  const auto start = static_cast<model::Point>(i.d & 3U);
  const auto end = static_cast<model::Point>((i.d >> 2U) & 3U);
  PairWindow out;
  out.starts_at_cause = i.b == body.edge.a;
  out.widens_low = (i.d & 16U) != 0;
  out.cause_repeats = out.starts_at_cause != out.widens_low;
  out.causes = &points_in_time(out.starts_at_cause ? start : end);
  out.of_begins = (out.starts_at_cause ? start : end) == model::Point::Begin;
  out.effect = &points_in_time(out.starts_at_cause ? end : start)[fact(body.edge.b)];
  out.known = reach_.low && reach_.high;
  out.low = reach_.low.value_or(0);
  out.high = reach_.high.value_or(0);
  constexpr model::Nanos kMost = model::kForever / 10 * 9;
  out.plain = out.known && out.effect->plain && -kMost <= out.low && out.low <= kMost &&
              -kMost <= out.high && out.high <= kMost;
  return out;
}

// As the instruction `window` has it.
Truth Interpreter::PairWindow::exactly(const PointInTime& cause) const {
  const model::Nanos repeats = cause_repeats ? cause.repeats : effect->repeats;
  return model::within(starts_at_cause ? cause.at : effect->at,
                       starts_at_cause ? effect->at : cause.at,
                       widens_low ? model::sub_nanos(low, repeats) : low,
                       widens_low ? high : model::add_nanos(high, repeats));
}

void Interpreter::pair_type(Pairs* pairs, const PairWindow& window, JoinCursor* join) {
  const PairBody& body = *pairs->body;
  const std::uint32_t effect = fact(body.edge.b);
  const std::uint32_t type = join->type();
  if (state_.edges.full(effect, type)) return;
  const Pairing best =
      std::max(best_pairing(pairs, join->equal_lane()), best_pairing(pairs, join->maybe_lane()));
  if (best == Pairing::None) return;
  // A trace tells of all.
  const bool traced = state_.trace != nullptr;
  const bool may_be_sure = window.may_be_sure();
  bool strong_to_come = traced || (best == Pairing::Strong && may_be_sure);
  EdgeCollector::Adding adding(state_.edges, effect, static_cast<std::uint16_t>(rule_), type);
  for (;;) {
    const std::uint32_t cause = join->next();
    if (cause == kNone || !charge(1)) return;
    const std::uint32_t of_class = class_of(pairs, cause);
    if (of_class == kNoEdge) continue;
    Pairing pairing = pairs->pairing[of_class];
    if (pairing == Pairing::NotAsked) pairing = pairing_of(pairs, of_class);
    if (pairing == Pairing::None || cause == effect) continue;
    const Truth near = may_be_sure ? window.of(cause) : Truth::Unknown;
    // In canonical order, those of which nobody knows when they began are the last.
    if (strong_to_come && near == Truth::Unknown && window.none_is_sure_from(cause)) {
      strong_to_come = traced;
    }
    const bool passes = (body.window_passes & (1U << static_cast<unsigned>(near))) != 0;
    if (near == Truth::No || !passes) continue;
    if (traced) {
      set_fact(body.edge.a, cause, false);
      note_firing(body.edge_at);
    }
    const bool more = adding.add(cause, pairing == Pairing::Strong && near == Truth::Yes);
    if (adding.over_budget()) return stop("edges", state_.budget.edges);
    if (!more || (!strong_to_come && adding.wants_strong_only())) return;
  }
}

}  // namespace attrib::vm
