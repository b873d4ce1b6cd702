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

// As `.` is: a gap.
bool is_all_but_line_end(const std::array<std::uint64_t, 4>& c) {
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  return c[1] == kAll && c[2] == kAll && c[3] == kAll && (c[0] | std::uint64_t{1} << '\n') == kAll &&
         c[0] != kAll;
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
  std::vector<Frame> frames;  // Of these the first `depth` are in use.
  std::size_t depth = 0;
  std::vector<std::size_t> saved;
  std::size_t steps_left = 0;

  void push(const Frame& frame) {
    if (depth == frames.size()) frames.resize(2 * depth + 16);
    frames[depth++] = frame;
  }
};

// Where a lazy run that a text follows may end: before the next such text, if all between is of its
// class. What was looked at for it counts, or a line of many near misses would take long.
std::size_t LineProgram::skip_to(std::string_view text, const Instruction& run, std::size_t from,
                                 std::size_t longest, std::size_t* steps_left) const {
  const std::size_t at = find_text(text, texts_[run.b - 1], from);
  const std::size_t looked_at = std::min(at, text.size()) - std::min(from, text.size());
  *steps_left -= std::min(*steps_left, looked_at / kBytesPerStep);
  if (at == std::string_view::npos || at > longest) return kNowhere;
  const Members& set = members_[run.a];
  if (is_all_but_line_end(classes_[run.a]))
    return text.substr(from, at - from).find('\n') == kNowhere ? at : kNowhere;
  for (std::size_t i = from; i < at; ++i) {
    if (!holds(set, text[i])) return kNowhere;
  }
  return at;
}

LineProgram::Outcome LineProgram::match_at(std::string_view text, std::size_t start,
                                           Walk* walk) const {
  using Kind = Walk::Kind;
  walk->depth = 0;
  std::uint32_t pc = 0;
  std::size_t at = start;
  bool alive = true;
  while (true) {
    if (walk->steps_left-- == 0) {
      walk->steps_left = 0;
      return Outcome::GaveUp;
    }
    if (!alive) {
      if (walk->depth == 0) return Outcome::No;
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
        case Kind::Shorter:
          at = frame.at - 1;
          if (at <= frame.least) {
            --walk->depth;
          } else {
            --top.at;
          }
          pc = frame.pc + 1;
          break;
        case Kind::Longer: {
          const Instruction& run = code_[frame.pc];
          const bool more = frame.at < text.size() && frame.at < frame.least &&
                            holds(members_[run.a], text[frame.at]);
          if (!more) {
            --walk->depth;
            continue;
          }
          at = run.b == 0 ? frame.at + 1
                          : skip_to(text, run, frame.at + 1, frame.least, &walk->steps_left);
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
    const Instruction& i = code_[pc];
    switch (i.op) {
      case Op::Text: {
        const std::string& wanted = texts_[i.a];
        if (i.mask != 0 && text.size() - at >= sizeof i.bytes) {
          std::uint64_t here = 0;
          std::memcpy(&here, text.data() + at, sizeof here);
          alive = (here & i.mask) == i.bytes;
        } else {
          alive = text.size() - at >= wanted.size() &&
                  (i.any_case ? equal_any_case(text.data() + at, wanted)
                              : std::memcmp(text.data() + at, wanted.data(), wanted.size()) == 0);
        }
        if (alive) at += wanted.size();
        ++pc;
        break;
      }
      case Op::Run: {
        const Members& set = members_[i.a];
        const std::size_t longest = i.most < text.size() - at ? at + i.most : text.size();
        std::size_t end = at;
        if (is_all_but_line_end(classes_[i.a])) {
          end = std::min(text.find('\n', at), longest);
        } else {
          while (end < longest && holds(set, text[end])) ++end;
        }
        walk->steps_left -= std::min(walk->steps_left, (end - at) / kBytesPerStep);
        alive = end - at >= i.least;
        if (alive && !i.firm && end - at > i.least)
          walk->push({Kind::Shorter, pc, end, at + i.least});
        at = end;
        ++pc;
        break;
      }
      case Op::LazyRun: {
        const Members& set = members_[i.a];
        std::size_t end = at;
        while (end - at < i.least && end < text.size() && holds(set, text[end])) ++end;
        alive = end - at >= i.least;
        const std::size_t longest = i.most < text.size() - at ? at + i.most : text.size();
        if (alive) walk->push({Kind::Longer, pc, end, longest});
        at = end;
        ++pc;
        break;
      }
      case Op::Split:
        walk->push({Kind::Go, i.b, at, 0});
        pc = i.a;
        break;
      case Op::Jump:
        pc = i.a;
        break;
      case Op::Save:
        // Where there is no other way, what was saved is of no use any more.
        if (walk->depth > 0) walk->push({Kind::PutBack, i.a, walk->saved[i.a], 0});
        walk->saved[i.a] = at;
        ++pc;
        break;
      case Op::Begin:
        alive = at == 0;
        ++pc;
        break;
      case Op::End:
        alive = at == text.size();
        ++pc;
        break;
      case Op::Edge:
        alive = is_edge(text, at) == (i.a != 0);
        ++pc;
        break;
      case Op::Done:
        return Outcome::Yes;
    }
  }
}

// The first place from `from` on where a match may begin: that of the text the program begins with.
std::size_t LineProgram::next_start(std::string_view text, std::size_t from) const {
  std::uint32_t pc = 0;
  while (code_[pc].op == Op::Save) ++pc;
  const Instruction& first = code_[pc];
  if (first.op != Op::Text) return from;
  return first.any_case ? find_any_case(text, texts_[first.a], from)
                        : find_text(text, texts_[first.a], from);
}

// Where no match begins at `start`, none does up to here: a program that begins with a run fails from
// all bytes of the run when it fails from the first, which tries all its ends.
std::size_t LineProgram::last_start_like(std::string_view text, std::size_t start) const {
  std::uint32_t pc = 0;
  while (code_[pc].op == Op::Save) ++pc;
  const Instruction& first = code_[pc];
  const bool runs = first.op == Op::Run || first.op == Op::LazyRun;
  if (!runs || first.least > 1 || first.most < text.size()) return start;
  std::size_t end = start;
  while (end < text.size() && holds(members_[first.a], text[end])) ++end;
  return std::max(start + 1, end) - 1;
}

LineProgram::Outcome LineProgram::match(std::string_view text, std::vector<Group>* groups) const {
  thread_local Walk walk;
  walk.steps_left = kFreeSteps + kStepsPerByte * text.size();
  for (std::size_t start = 0; start <= text.size(); ++start) {
    if (!at_start_) start = next_start(text, start);
    if (start == kNowhere || start > text.size()) return Outcome::No;
    walk.saved.assign(2 * (std::size_t{groups_} + 1), kNowhere);
    const Outcome outcome = match_at(text, start, &walk);
    if (outcome == Outcome::GaveUp) return outcome;
    if (outcome == Outcome::No) {
      if (at_start_) return Outcome::No;
      start = last_start_like(text, start);
      continue;
    }
    groups->assign(std::size_t{groups_} + 1, std::nullopt);
    for (std::size_t g = 0; g < groups->size(); ++g) {
      if (walk.saved[2 * g] == kNowhere || walk.saved[2 * g + 1] == kNowhere) continue;
      (*groups)[g] = text.substr(walk.saved[2 * g], walk.saved[2 * g + 1] - walk.saved[2 * g]);
    }
    return Outcome::Yes;
  }
  return Outcome::No;
}

}  // namespace attrib::model
