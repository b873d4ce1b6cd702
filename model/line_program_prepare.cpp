#include <algorithm>
#include <cstring>
#include <limits>

#include "model/byte_class.h"
#include "model/line_program.h"

// What the walk knows beforehand, so that it tries less in vain.

namespace attrib::model {
namespace {

constexpr std::uint32_t kNoLimit = std::numeric_limits<std::uint32_t>::max();
constexpr int kMaxDepth = 32;
constexpr ByteClass kBlanks = {std::uint64_t{1} << ' ' | std::uint64_t{1} << '\t', 0, 0, 0};

ByteClass unite(ByteClass a, const ByteClass& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] |= b[i];
  return a;
}

}  // namespace

class LineProgramPreparation {
 public:
  explicit LineProgramPreparation(LineProgram* program) : out_(*program) {}

  void run() {
    for (std::uint32_t pc = 0; pc < out_.code_.size(); ++pc) {
      make_firm(pc);
      aim(pc);
      tell_gap(pc);
      tell_firsts(pc);
    }
    for (std::uint32_t pc = 0; pc < out_.code_.size(); ++pc) join_words(pc);
    find_lead();
    for (std::uint32_t pc = 0; pc < out_.code_.size(); ++pc) {
      out_.code_[pc].is_blanks = is_blanks(pc);
      join_hole(pc);
    }
    tell_members();
    tell_bytes();
  }

 private:
  using Op = LineProgram::Op;

  // Which bytes may come first from `pc` on; empty when nothing need come.
  std::optional<ByteClass> first_bytes(std::uint32_t pc, int depth = 0) const {
    if (depth > kMaxDepth) return std::nullopt;
    ByteClass all{};
    while (true) {
      const LineProgram::Instruction& i = out_.code_[pc];
      switch (i.op) {
        case Op::Text: {
          ByteClass first = only(out_.texts_[i.a].front());
          if (i.any_case) fold(&first);
          return unite(all, first);
        }
        case Op::Run:
        case Op::LazyRun:
          all = unite(all, out_.classes_[i.a]);
          if (i.least > 0) return all;
          ++pc;
          break;
        case Op::Save:
        case Op::Hole:
          ++pc;
          break;
        case Op::Jump:
          pc = i.a;
          break;
        case Op::Split: {
          const auto left = first_bytes(i.a, depth + 1), right = first_bytes(i.b, depth + 1);
          if (!left || !right) return std::nullopt;
          return unite(all, unite(*left, *right));
        }
        case Op::End:  // Before any byte it fails.
          return all;
        case Op::Begin:
        case Op::Edge:
        case Op::Done:
          return std::nullopt;
      }
    }
  }
  void tell_gap(std::uint32_t pc) {
    LineProgram::Instruction& i = out_.code_[pc];
    if (i.op != Op::Run && i.op != Op::LazyRun) return;
    ByteClass all = every_byte();
    drop_line_end(&all);
    if (out_.classes_[i.a] == all) i.gap = LineProgram::Gap::AllButLineEnd;
    ByteClass without = only('\r');
    for (std::size_t w = 0; w < all.size(); ++w) without[w] = all[w] & ~without[w];
    if (out_.classes_[i.a] == without) i.gap = LineProgram::Gap::AllButLineEnds;
  }

  std::uint32_t first_class(std::uint32_t pc) {
    const auto first = first_bytes(pc);
    return first ? out_.class_index(*first) + 1 : 0;
  }
  void tell_firsts(std::uint32_t pc) {
    const Op op = out_.code_[pc].op;
    if (op == Op::Split) {
      out_.code_[pc].first_a = first_class(out_.code_[pc].a);
      out_.code_[pc].first_b = first_class(out_.code_[pc].b);
    } else if (op == Op::Run && !out_.code_[pc].firm) {
      out_.code_[pc].first_a = first_class(pc + 1);
    }
  }

  [[nodiscard]] bool is_plain_text(std::uint32_t pc) const {
    const LineProgram::Instruction& i = out_.code_[pc];
    return i.op == Op::Text && !i.any_case;
  }
  [[nodiscard]] bool is_word(std::uint32_t pc) const {
    return is_plain_text(pc) && out_.texts_[out_.code_[pc].a].find_first_of(" \t") == std::string::npos;
  }
  [[nodiscard]] bool is_blanks(std::uint32_t pc) const {
    const LineProgram::Instruction& i = out_.code_[pc];
    return i.op == Op::Run && i.least == 1 && i.most == kNoLimit && out_.classes_[i.a] == kBlanks;
  }

  // Words that mostly stand with one blank between them are compared at once.
  void join_words(std::uint32_t pc) {
    if (!is_word(pc)) return;
    std::string phrase = out_.texts_[out_.code_[pc].a];
    std::uint32_t behind = pc + 1;
    while (is_blanks(behind) && is_word(behind + 1)) {
      phrase += ' ' + out_.texts_[out_.code_[behind + 1].a];
      behind += 2;
    }
    if (behind == pc + 1) return;
    out_.texts_.push_back(std::move(phrase));
    out_.code_[pc].phrase = static_cast<std::uint32_t>(out_.texts_.size());
    out_.code_[pc].behind = behind;
  }

  // A run that is captured. Where it ends earlier than it could, the walk goes on behind it.
  void join_hole(std::uint32_t pc) {
    if (pc + 2 >= out_.code_.size()) return;
    LineProgram::Instruction& i = out_.code_[pc];
    const LineProgram::Instruction& end = out_.code_[pc + 2];
    if (i.op != Op::Save || out_.code_[pc + 1].op != Op::Run || end.op != Op::Save) return;
    i.op = Op::Hole;
    i.b = end.a;
  }

  // Of what each match begins with, up to the longest text.
  void find_lead() {
    std::vector<std::uint32_t> lead;
    std::size_t least = 0, longest = 0;
    for (std::uint32_t pc = 0;; ++pc) {
      const LineProgram::Instruction& i = out_.code_[pc];
      if (i.op == Op::Save) continue;
      if (i.op == Op::Text && i.any_case) {
        if (lead.empty()) out_.lead_ = {pc};
        return;
      }
      if (i.op == Op::Text) {
        lead.push_back(pc);
        const std::size_t size = out_.texts_[i.a].size();
        if (size > longest) {
          longest = size;
          out_.lead_ = lead;
          out_.least_lead_ = least;
        }
        least += size;
        continue;
      }
      if (i.op != Op::Run || !ends_alike(i, lead)) return;
      lead.push_back(pc);
      least += i.least;
    }
  }

  // Does the run begin and end in the same places when it is read back?
  [[nodiscard]] bool ends_alike(const LineProgram::Instruction& run,
                                const std::vector<std::uint32_t>& lead) const {
    if (!run.firm || run.least != 1 || run.most != kNoLimit) return false;
    if (lead.empty()) return true;
    const LineProgram::Instruction& before = out_.code_[lead.back()];
    const ByteClass ends = before.op == Op::Text ? only(out_.texts_[before.a].back())
                                                 : out_.classes_[before.a];
    return disjoint(ends, out_.classes_[run.a]);
  }

  void make_firm(std::uint32_t pc) {
    LineProgram::Instruction& i = out_.code_[pc];
    if (i.op != Op::Run) return;
    // At the end of the program any length will do, and the longest comes first.
    std::uint32_t next = pc + 1;
    while (out_.code_[next].op == Op::Save) ++next;
    if (out_.code_[next].op == Op::Done) {
      i.firm = true;
      return;
    }
    const auto first = first_bytes(pc + 1);
    i.firm = first && disjoint(*first, out_.classes_[i.a]);
  }

  void tell_members() {
    for (const ByteClass& set : out_.classes_) {
      LineProgram::Members& members = out_.members_.emplace_back();
      for (std::size_t b = 0; b < members.size(); ++b) members[b] = (set[b / 64] >> (b % 64) & 1U) != 0;
    }
  }

  void tell_bytes() {
    for (LineProgram::Instruction& i : out_.code_) {
      if (i.op != Op::Text) continue;
      const std::string& wanted = out_.texts_[i.a];
      i.least = static_cast<std::uint32_t>(wanted.size());
      if (i.any_case) continue;
      if (wanted.size() > sizeof i.bytes) continue;
      std::array<unsigned char, sizeof i.mask> ones{};
      std::fill_n(ones.begin(), wanted.size(), static_cast<unsigned char>(0xFF));
      std::memcpy(&i.mask, ones.data(), sizeof i.mask);
      std::memcpy(&i.bytes, wanted.data(), wanted.size());
    }
  }

  // Tells a lazy run which text comes next, if it is always the same one.
  void aim(std::uint32_t pc) {
    LineProgram::Instruction& i = out_.code_[pc];
    if (i.op != Op::LazyRun) return;
    std::uint32_t next = pc + 1;
    while (out_.code_[next].op == Op::Save) ++next;
    const LineProgram::Instruction& follows = out_.code_[next];
    if (follows.op == Op::Text && !follows.any_case) i.b = follows.a + 1;
  }

  LineProgram& out_;
};

std::uint32_t LineProgram::class_index(const Class& set) {
  const auto at = std::find(classes_.begin(), classes_.end(), set);
  if (at != classes_.end()) return static_cast<std::uint32_t>(at - classes_.begin());
  classes_.push_back(set);
  return static_cast<std::uint32_t>(classes_.size() - 1);
}

void LineProgram::prepare_to_run() { LineProgramPreparation(this).run(); }

}  // namespace attrib::model
