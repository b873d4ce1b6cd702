#include "model/line_program.h"

#include <algorithm>
#include <cstring>

#include "base/find_text.h"
#include "model/any_case.h"

namespace attrib::model {
namespace {

// Steps that one match may take: a line of 100 bytes needs some tens.
constexpr std::size_t kFreeSteps = 1024;
constexpr std::size_t kStepsPerByte = 16;
constexpr std::size_t kBytesPerStep = 4;  // Of a run, or of a search for a text.
constexpr std::size_t kNowhere = std::string_view::npos;

bool holds(const std::array<bool, 256>& c, char byte) { return c[static_cast<unsigned char>(byte)]; }

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_edge(std::string_view text, std::size_t at) {
  return (at > 0 && is_word(text[at - 1])) != (at < text.size() && is_word(text[at]));
}

}  // namespace

// Where to go on when the way taken ends: another instruction, a run with fewer or more bytes, or a
// position to put back.
struct LineProgram::Walk {
  enum class Kind : std::uint8_t { Go, Shorter, Longer, PutBack };
  struct Frame {
    Kind kind;
    std::uint32_t pc;   // Go, Shorter, Longer; the position's number for PutBack.
    std::size_t at;     // Where to go on; the old position for PutBack.
    std::size_t least;  // Shorter: the run may shrink to here.
  };
  std::vector<Frame> frames = std::vector<Frame>(16);  // Of these the first `depth` are in use.
  std::size_t depth = 0, room = 16;
  std::vector<std::size_t> saved;
  std::size_t steps_left = 0;
  enum class Ends : std::uint8_t { Unknown, None, Some } ends = Ends::Unknown;  // Bytes of line ends in the text.

  [[nodiscard]] bool is_one_line(std::string_view text) {
    if (ends == Ends::Unknown) {
      const bool some = text.find('\n') != kNowhere || text.find('\r') != kNowhere;
      ends = some ? Ends::Some : Ends::None;
    }
    return ends == Ends::None;
  }

  void push(const Frame& frame) {
    if (depth == room) {
      room *= 2;
      frames.resize(room);
    }
    frames[depth++] = frame;
  }
  void save(std::uint32_t number, std::size_t at) {
    // Where there is no other way, what was saved is of no use any more.
    if (depth > 0) push({Kind::PutBack, number, saved[number], 0});
    saved[number] = at;
  }
  void spend(std::size_t bytes) { steps_left -= std::min(steps_left, bytes / kBytesPerStep); }
};

// Where a lazy run that a text follows may end: before the next such text, if all between is of its
// class. What was looked at for it counts, or a line of many near misses would take long.
std::size_t LineProgram::skip_to(std::string_view text, const Instruction& run, std::size_t from,
                                 std::size_t longest, Walk* walk) const {
  const std::size_t at = find_text(text, texts_[run.b - 1], from);
  walk->spend(std::min(at, text.size()) - std::min(from, text.size()));
  if (at == std::string_view::npos || at > longest) return kNowhere;
  if (run.gap != Gap::No && walk->is_one_line(text)) return at;
  const Members& set = members_[run.a];
  for (std::size_t i = from; i < at; ++i) {
    if (!holds(set, text[i])) return kNowhere;
  }
  return at;
}

// The end of a run from `at` on, as long as can be; nowhere, if that is too short.
std::size_t LineProgram::end_of_run(std::string_view text, std::uint32_t pc, std::size_t at,
                                    Walk* walk) const {
  const Instruction& i = code_[pc];
  // One blank, as there mostly is.
  if (i.is_blanks && at + 1 < text.size() && text[at] == ' ' && text[at + 1] > ' ') return at + 1;
  const std::size_t longest = i.most < text.size() - at ? at + i.most : text.size();
  std::size_t end = at;
  if (i.gap != Gap::No && walk->is_one_line(text)) {
    end = longest;
  } else {
    const Members& set = members_[i.a];
    while (end < longest && holds(set, text[end])) ++end;
  }
  walk->spend(end - at);
  if (end - at < i.least) return kNowhere;
  if (!i.firm && end - at > i.least) walk->push({Walk::Kind::Shorter, pc, end, at + i.least});
  return end;
}

LineProgram::Outcome LineProgram::match_at(std::string_view text, std::size_t start,
                                           Walk* walk) const {
  using Kind = Walk::Kind;
  walk->depth = 0;
  const Instruction* const code = code_.data();
  const char* const bytes = text.data();
  const std::size_t size = text.size();
  std::uint32_t pc = 0;
  std::size_t at = start;
  bool alive = true;
  for (std::size_t steps = 0;; ++steps) {
    if (steps >= walk->steps_left) return Outcome::GaveUp;
    if (!alive) {
      if (walk->depth == 0) {
        walk->steps_left -= steps;
        return Outcome::No;
      }
      Walk::Frame& top = walk->frames[walk->depth - 1];
      const Walk::Frame frame = top;
      switch (frame.kind) {
        case Kind::PutBack:
          walk->saved[frame.pc] = frame.at;
          --walk->depth;
          continue;
        case Kind::Go:
          --walk->depth;
          pc = frame.pc;
          at = frame.at;
          break;
        case Kind::Shorter: {
          at = frame.at - 1;
          const std::uint32_t first = code[frame.pc].first_a;
          while (at > frame.least && !may_begin(first, text, at)) --at;
          walk->spend(frame.at - at);
          if (at <= frame.least) {
            --walk->depth;
          } else {
            top.at = at;
          }
          pc = frame.pc + 1;
          break;
        }
        case Kind::Longer: {
          const Instruction& run = code[frame.pc];
          const bool more = frame.at < size && frame.at < frame.least &&
                            holds(members_[run.a], bytes[frame.at]);
          if (!more) {
            --walk->depth;
            continue;
          }
          at = run.b == 0 ? frame.at + 1
                          : skip_to(text, run, frame.at + 1, frame.least, walk);
          if (at == kNowhere) {
            --walk->depth;
            continue;
          }
          top.at = at;
          pc = frame.pc + 1;
          break;
        }
      }
      alive = true;
    }
    const Instruction& i = code[pc];
    switch (i.op) {
      case Op::Text: {
        if (i.mask != 0 && size - at >= sizeof i.bytes) {
          std::uint64_t here = 0;
          std::memcpy(&here, bytes + at, sizeof here);
          alive = (here & i.mask) == i.bytes;
        } else {
          const std::string& wanted = texts_[i.a];
          alive = size - at >= wanted.size() &&
                  (i.any_case ? equal_any_case(bytes + at, wanted)
                              : std::memcmp(bytes + at, wanted.data(), wanted.size()) == 0);
        }
        if (alive && i.phrase != 0) {
          const std::string& phrase = texts_[i.phrase - 1];
          if (size - at >= phrase.size() &&
              std::memcmp(bytes + at, phrase.data(), phrase.size()) == 0) {
            at += phrase.size();
            pc = i.behind;
            break;
          }
        }
        if (alive) at += i.least;
        ++pc;
        break;
      }
      case Op::Run: {
        const std::size_t end = end_of_run(text, pc, at, walk);
        alive = end != kNowhere;
        at = end;
        ++pc;
        break;
      }
      case Op::Hole: {
        walk->save(i.a, at);
        const std::size_t end = end_of_run(text, pc + 1, at, walk);
        alive = end != kNowhere;
        at = end;
        if (alive) walk->save(i.b, at);
        pc += 3;
        break;
      }
      case Op::LazyRun: {
        const Members& set = members_[i.a];
        std::size_t end = at;
        while (end - at < i.least && end < size && holds(set, bytes[end])) ++end;
        alive = end - at >= i.least;
        const std::size_t longest = i.most < size - at ? at + i.most : size;
        if (alive && i.b != 0) {
          end = skip_to(text, i, end, longest, walk);
          alive = end != kNowhere;
        }
        if (alive) walk->push({Kind::Longer, pc, end, longest});
        at = end;
        ++pc;
        break;
      }
      case Op::Split:
        if (!may_begin(i.first_a, text, at)) {
          pc = i.b;  // Which may fail as well, and says so.
        } else {
          if (may_begin(i.first_b, text, at)) walk->push({Kind::Go, i.b, at, 0});
          pc = i.a;
        }
        break;
      case Op::Jump:
        pc = i.a;
        break;
      case Op::Save:
        walk->save(i.a, at);
        ++pc;
        break;
      case Op::Begin:
        alive = at == 0;
        ++pc;
        break;
      case Op::End:
        alive = at == size;
        ++pc;
        break;
      case Op::Edge:
        alive = is_edge(text, at) == (i.a != 0);
        ++pc;
        break;
      case Op::Done:
        walk->steps_left -= steps;
        return Outcome::Yes;
    }
  }
}

// The first place from `from` on where a match may begin: one from which all that it begins with leads
// up to the text that is looked for. Read back from that text it begins in one place only.
std::size_t LineProgram::next_start(std::string_view text, std::size_t from) const {
  if (lead_.empty()) return from;
  const Instruction& sought = code_[lead_.back()];
  if (sought.any_case) return find_any_case(text, texts_[sought.a], from);
  for (std::size_t place = from + least_lead_;; ++place) {
    place = find_text(text, texts_[sought.a], place);
    if (place == kNowhere) return kNowhere;
    std::size_t at = place;
    bool leads = true;
    for (std::size_t n = lead_.size() - 1; n-- > 0 && leads;) {
      const Instruction& i = code_[lead_[n]];
      if (i.op == Op::Text) {
        const std::string& wanted = texts_[i.a];
        leads = at - from >= wanted.size() && text.substr(at - wanted.size(), wanted.size()) == wanted;
        if (leads) at -= wanted.size();
        continue;
      }
      const Members& set = members_[i.a];
      const std::size_t end = at;
      while (at > from && holds(set, text[at - 1])) --at;
      leads = end - at >= i.least;
    }
    if (leads) return at;
  }
}

std::string_view LineProgram::sought() const {
  if (lead_.empty() || at_start_ || code_[lead_.back()].any_case) return {};
  return texts_[code_[lead_.back()].a];
}

// Where no match begins at `start`, none does up to here: a program that begins with a run fails from
// all bytes of the run when it fails from the first, which tries all its ends.
std::size_t LineProgram::last_start_like(std::string_view text, std::size_t start) const {
  std::uint32_t pc = 0;
  while (code_[pc].op == Op::Save || code_[pc].op == Op::Hole) ++pc;
  const Instruction& first = code_[pc];
  const bool runs = first.op == Op::Run || first.op == Op::LazyRun;
  if (!runs || first.least > 1 || first.most < text.size()) return start;
  std::size_t end = start;
  while (end < text.size() && holds(members_[first.a], text[end])) ++end;
  return std::max(start + 1, end) - 1;
}

LineProgram::Outcome LineProgram::find(std::string_view text, bool one_line,
                                       std::span<const std::size_t>* places) const {
  thread_local Walk walk;
  walk.steps_left = kFreeSteps + kStepsPerByte * text.size();
  walk.ends = one_line ? Walk::Ends::None : Walk::Ends::Unknown;
  for (std::size_t start = 0; start <= text.size(); ++start) {
    if (!at_start_) start = next_start(text, start);
    if (start == kNowhere || start > text.size()) return Outcome::No;
    walk.saved.assign(2 * (std::size_t{groups_} + 1), kNowhere);
    const Outcome outcome = match_at(text, start, &walk);
    if (outcome == Outcome::GaveUp) return outcome;
    if (outcome == Outcome::Yes) {
      *places = walk.saved;
      return Outcome::Yes;
    }
    if (at_start_) return Outcome::No;
    start = last_start_like(text, start);
  }
  return Outcome::No;
}

LineProgram::Outcome LineProgram::match(std::string_view text, std::vector<Group>* groups) const {
  std::span<const std::size_t> places;
  const Outcome outcome = find(text, false, &places);
  if (outcome != Outcome::Yes) return outcome;
  groups->assign(std::size_t{groups_} + 1, std::nullopt);
  for (std::size_t g = 0; g < groups->size(); ++g) {
    if (places[2 * g] == kNowhere || places[2 * g + 1] == kNowhere) continue;
    (*groups)[g] = text.substr(places[2 * g], places[2 * g + 1] - places[2 * g]);
  }
  return Outcome::Yes;
}

}  // namespace attrib::model
