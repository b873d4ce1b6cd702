// Which texts no way through a program avoids.

#include <algorithm>
#include <functional>
#include <utility>

#include "model/line_program.h"

namespace attrib::model {
namespace {

using Texts = std::vector<std::string>;

bool holds_one_of(const std::string& text, const Texts& literals) {
  return std::any_of(literals.begin(), literals.end(), [&](const std::string& each) {
    return text.find(each) != std::string::npos;
  });
}

}  // namespace

// Walks the shapes that LineProgramCompiler makes. A split that skips a part which does not end
// with a jump is an optional group; one that does stands before a branch of `a|b`, and all
// branches jump to one place.
class RequiredWalk {
 public:
  // How good a set is, the least best.
  using Cost = std::function<double(const Texts&)>;
  RequiredWalk(const std::vector<LineProgram::Instruction>& code, const Texts& texts, Cost cost)
      : code_(code), texts_(texts), cost_(std::move(cost)) {}

  std::vector<Texts> walk(std::uint32_t begin, std::uint32_t end) {
    using Op = LineProgram::Op;
    std::vector<Texts> out;
    std::string run;  // Texts with nothing but saves between.
    const auto close = [&] {
      if (!run.empty()) out.push_back({std::exchange(run, {})});
    };
    for (std::uint32_t pc = begin; pc < end;) {
      const LineProgram::Instruction& i = code_[pc];
      if (i.op == Op::Text) run += texts_[i.a];
      if (i.op != Op::Text && i.op != Op::Save) close();
      if (i.op != Op::Split) {
        ++pc;
        continue;
      }
      if (code_[i.b - 1].op == Op::Jump) {
        const std::uint32_t after = code_[i.b - 1].a;
        if (auto choice = branches(pc, after); !choice.empty()) out.push_back(std::move(choice));
        pc = after;
      } else {
        pc = i.b;
      }
    }
    close();
    return out;
  }

 private:
  // The best texts of each branch together, or nothing if a branch needs none.
  Texts branches(std::uint32_t begin, std::uint32_t after) {
    Texts out;
    for (std::uint32_t pc = begin; pc <= after;) {
      const bool more = pc < after && code_[pc].op == LineProgram::Op::Split &&
                        code_[code_[pc].b - 1].op == LineProgram::Op::Jump &&
                        code_[code_[pc].b - 1].a == after;
      const std::uint32_t branch = more ? pc + 1 : pc;
      const std::uint32_t end = more ? code_[pc].b - 1 : after;
      const std::vector<Texts> sets = walk(branch, end);
      const auto best =
          std::min_element(sets.begin(), sets.end(),
                           [&](const Texts& a, const Texts& b) { return cost_(a) < cost_(b); });
      if (best == sets.end()) return {};
      out.insert(out.end(), best->begin(), best->end());
      if (!more) break;
      pc = end + 1;
    }
    return out;
  }

  const std::vector<LineProgram::Instruction>& code_;
  const Texts& texts_;
  Cost cost_;
};

std::vector<std::vector<std::string>> LineProgram::required_texts(
    std::string_view expression, double (*rarity)(std::string_view)) {
  const auto program = outline(expression);
  if (!program) return {};
  const auto hits = [rarity](const Texts& texts) {
    double sum = 0;
    for (const std::string& each : texts) sum += rarity(each);
    return sum;
  };
  return RequiredWalk(program->code_, program->texts_, hits)
      .walk(0, static_cast<std::uint32_t>(program->code_.size()));
}

bool LineProgram::requires_one_of(std::string_view expression, const Texts& literals) {
  const auto program = outline(expression);
  if (!program) return false;
  // With these as the choice of each branch: those that hold a literal, if there are any.
  const auto without = [&](const Texts& texts) {
    const bool all = std::all_of(texts.begin(), texts.end(),
                                 [&](const std::string& each) { return holds_one_of(each, literals); });
    return all ? 0.0 : 1.0;
  };
  const auto sets = RequiredWalk(program->code_, program->texts_, without)
                        .walk(0, static_cast<std::uint32_t>(program->code_.size()));
  return std::any_of(sets.begin(), sets.end(),
                     [&](const Texts& texts) { return without(texts) == 0.0; });
}

}  // namespace attrib::model
