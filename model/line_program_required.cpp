// Which texts no way through a program avoids.

#include <algorithm>
#include <functional>
#include <utility>

#include "model/any_case.h"
#include "model/line_program.h"

namespace attrib::model {
namespace {

using Required = LineProgram::Required;

// One set of which a line holds a text if it holds one of either.
void unite(Required* all, Required more) {
  all->any_case = all->any_case || more.any_case;
  all->texts.insert(all->texts.end(), more.texts.begin(), more.texts.end());
  if (!all->any_case) return;
  for (std::string& text : all->texts) text = to_lower(text);
}

}  // namespace

// Walks the shapes that LineProgramCompiler makes. A split that skips a part which does not end
// with a jump is an optional group; one that does stands before a branch of `a|b`, and all
// branches jump to one place.
class RequiredWalk {
 public:
  // How good a set is, the least best.
  using Cost = std::function<double(const Required&)>;
  RequiredWalk(const LineProgram& program, Cost cost)
      : code_(program.code_), texts_(program.texts_), cost_(std::move(cost)) {}

  std::vector<Required> walk() { return walk(0, static_cast<std::uint32_t>(code_.size())); }

 private:
  using Op = LineProgram::Op;

  std::vector<Required> walk(std::uint32_t begin, std::uint32_t end) {
    std::vector<Required> out;
    Required run{{""}, false};  // Texts with nothing but saves between.
    const auto close = [&] {
      if (!run.texts[0].empty()) out.push_back(std::exchange(run, {{""}, false}));
    };
    for (std::uint32_t pc = begin; pc < end;) {
      const LineProgram::Instruction& i = code_[pc];
      if (i.op != Op::Text && i.op != Op::Save) close();
      if (i.op == Op::Text) {
        if (i.any_case != run.any_case) close();
        run.any_case = i.any_case;
        run.texts[0] += texts_[i.a];
      }
      if (i.op != Op::Split) {
        ++pc;
        continue;
      }
      if (code_[i.b - 1].op == Op::Jump) {
        const std::uint32_t after = code_[i.b - 1].a;
        if (auto choice = branches(pc, after); !choice.texts.empty())
          out.push_back(std::move(choice));
        pc = after;
      } else {
        pc = i.b;
      }
    }
    close();
    return out;
  }

  // The best texts of each branch together, or nothing if a branch needs none.
  Required branches(std::uint32_t begin, std::uint32_t after) {
    Required out;
    for (std::uint32_t pc = begin; pc <= after;) {
      const bool more = pc < after && code_[pc].op == Op::Split &&
                        code_[code_[pc].b - 1].op == Op::Jump && code_[code_[pc].b - 1].a == after;
      const std::uint32_t branch = more ? pc + 1 : pc;
      const std::uint32_t end = more ? code_[pc].b - 1 : after;
      const std::vector<Required> sets = walk(branch, end);
      const auto best =
          std::min_element(sets.begin(), sets.end(), [&](const Required& a, const Required& b) {
            return cost_(a) < cost_(b);
          });
      if (best == sets.end()) return {};
      unite(&out, *best);
      if (!more) break;
      pc = end + 1;
    }
    return out;
  }

  const std::vector<LineProgram::Instruction>& code_;
  const std::vector<std::string>& texts_;
  Cost cost_;
};

std::vector<Required> LineProgram::required_texts(std::string_view expression, Rarity rarity) {
  const auto program = outline(expression);
  if (!program) return {};
  return RequiredWalk(*program, [rarity](const Required& set) {
           double sum = 0;
           for (const std::string& each : set.texts) sum += rarity(each, set.any_case);
           return sum;
         })
      .walk();
}

bool LineProgram::requires_one_of(std::string_view expression,
                                  const std::vector<std::string>& literals, bool any_case) {
  const auto program = outline(expression);
  if (!program) return false;
  const auto proves = [&](const Required& set) {
    // A text that may stand in any case holds no literal for sure that is looked for as it is.
    if (set.any_case && !any_case) return false;
    return std::all_of(set.texts.begin(), set.texts.end(), [&](const std::string& text) {
      return std::any_of(literals.begin(), literals.end(), [&](const std::string& each) {
        return (any_case ? find_any_case(text, each, 0) : text.find(each)) != std::string::npos;
      });
    });
  };
  // Of each branch a set that holds a literal, if there is one.
  const auto sets =
      RequiredWalk(*program, [&](const Required& set) { return proves(set) ? 0.0 : 1.0; }).walk();
  return std::any_of(sets.begin(), sets.end(), proves);
}

}  // namespace attrib::model
