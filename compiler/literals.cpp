#include "compiler/literals.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "model/any_case.h"
#include "model/literal_cost.h"
#include "model/rarity.h"
#include "model/required_literals.h"

namespace attrib::compiler {
namespace {

constexpr std::size_t kMaxRounds = 8;
constexpr std::size_t kMaxChoices = 16;  // Of one alternative, the cheapest when nothing is shared.
// Lines that hold words of rules come in floods, and each is tried on all alternatives that look
// for something in it. With this many lines in vain for each byte of a log, a literal is worth
// sharing by about ten.
constexpr double kCostOfTemplate = 6e-9;

// The texts of all templates, to count in how many places a text stands.
class Corpus {
 public:
  explicit Corpus(const Module& module) {
    for (const Extract& extract : module.extracts) {
      for (const model::Alternative& alternative : extract.alternatives) {
        for (const model::LineTemplate& line : alternative.lines) add(line);
      }
    }
    for (std::uint32_t i = 0; i < text_.size(); ++i) {
      if (text_[i] != kHole) suffixes_.push_back(i);
    }
    std::sort(suffixes_.begin(), suffixes_.end(),
              [&](std::uint32_t a, std::uint32_t b) { return at(a) < at(b); });
  }

  [[nodiscard]] std::size_t count(std::string_view text) const {
    const auto low = std::lower_bound(
        suffixes_.begin(), suffixes_.end(), text,
        [&](std::uint32_t i, std::string_view t) { return at(i).substr(0, t.size()) < t; });
    const auto high = std::upper_bound(
        low, suffixes_.end(), text,
        [&](std::string_view t, std::uint32_t i) { return t < at(i).substr(0, t.size()); });
    return static_cast<std::size_t>(high - low);
  }

 private:
  static constexpr char kHole = '\0';

  [[nodiscard]] std::string_view at(std::uint32_t i) const {
    return std::string_view(text_).substr(i, model::kMaxFilterLiteral);
  }
  void add(const model::LineTemplate& line) {
    for (const model::TemplatePart& part : line.parts) {
      if (part.kind == model::PartKind::Literal) {
        text_ += part.text;
      } else {
        text_ += part.kind == model::PartKind::Blank ? ' ' : kHole;
      }
    }
    text_ += line.regex;
    text_ += kHole;
  }

  std::string text_;
  std::vector<std::uint32_t> suffixes_;  // Sorted by the text from there on.
};

// Each takes in turn what is cheapest while the others stay, until nobody moves.
class Choosing {
 public:
  explicit Choosing(Module& module) : corpus_(module) {
    for (Extract& extract : module.extracts) {
      for (model::Alternative& each : extract.alternatives) add(each);
    }
    // At first as if all came that could, or nobody would be the first to share.
    for (Chooser& each : choosers_) {
      choose(each, [](const Literal& literal) { return literal.wanted; });
      use(each, 1);
    }
  }

  void run() {
    bool moved = true;
    for (std::size_t round = 0; moved && round < kMaxRounds; ++round) {
      moved = false;
      for (Chooser& each : choosers_) {
        use(each, -1);
        moved = choose(each, [](const Literal& literal) { return literal.users + 1; }) || moved;
        use(each, 1);
      }
    }
    for (Chooser& each : choosers_) {
      if (each.choices.empty()) continue;
      each.alternative->literals = each.choices[each.chosen].any_of;
      each.alternative->any_case = each.choices[each.chosen].any_case;
    }
  }

 private:
  struct Literal {
    double hits = 0;  // What it costs each user.
    double own = 0;   // What it costs once, whoever uses it.
    std::uint32_t users = 0;
    std::uint32_t wanted = 0;  // By how many alternatives it could be used.
  };
  struct Chooser {
    model::Alternative* alternative = nullptr;
    std::vector<model::RequiredLiterals> choices;
    std::vector<std::vector<Literal*>> literals;  // Of each choice
    std::size_t chosen = 0;
  };

  void add(model::Alternative& alternative) {
    Chooser made;
    made.alternative = &alternative;
    made.choices = model::literal_choices(alternative.lines.front());
    if (made.choices.size() > kMaxChoices) made.choices.resize(kMaxChoices);
    for (const model::RequiredLiterals& choice : made.choices) {
      auto& list = made.literals.emplace_back();
      for (const std::string& text : choice.any_of) {
        const auto [it, is_new] = known_.try_emplace({text, choice.any_case});
        if (is_new) {
          const double hits = model::expected_hits(text, choice.any_case);
          it->second.hits = hits + kCostOfTemplate * static_cast<double>(corpus_.count(text));
          it->second.own = model::search_cost(text, choice.any_case);
        }
        list.push_back(&it->second);
      }
    }
    std::set<Literal*> all;
    for (const auto& list : made.literals) all.insert(list.begin(), list.end());
    for (Literal* each : all) ++each->wanted;
    choosers_.push_back(std::move(made));
  }

  static void use(const Chooser& chooser, int step) {
    if (chooser.choices.empty()) return;
    for (Literal* each : chooser.literals[chooser.chosen])
      each->users += static_cast<std::uint32_t>(step);
  }

  // True if it is another than before. `users` says how many share a literal.
  template <typename Users>
  static bool choose(Chooser& chooser, const Users& users) {
    const auto cost = [&](std::size_t choice) {
      double sum = 0;
      for (const Literal* each : chooser.literals[choice])
        sum += each->hits + each->own / users(*each);
      return sum;
    };
    if (chooser.choices.empty()) return false;
    std::size_t best = chooser.chosen;
    for (std::size_t i = 0; i < chooser.choices.size(); ++i) {
      if (cost(i) < cost(best)) best = i;
    }
    const bool moved = best != chooser.chosen;
    chooser.chosen = best;
    return moved;
  }

  Corpus corpus_;
  std::map<model::SearchText, Literal> known_;
  std::vector<Chooser> choosers_;
};

std::string quoted(const std::vector<std::string>& literals) {
  std::string out;
  for (const std::string& each : model::plain_spellings(literals))
    out += fmt::format("{}`{}`", out.empty() ? "" : ", ", each);
  return out;
}

// What is weak about the alternative's literals; empty if nothing is.
std::string weakness(const model::Alternative& alternative) {
  std::string out;
  for (const model::SlowPath path : model::slow_paths(alternative)) {
    if (!model::is_weak(path)) continue;
    out += fmt::format("{}{}", out.empty() ? "" : ", ", model::to_text(path));
  }
  return out;
}

void judge(Context& c, const Extract& extract, const model::Alternative& alternative) {
  const Span span = alternative.lines.front().span;
  const std::string weak = weakness(alternative);
  const bool slow = !alternative.slow_reason.empty();
  if (weak.empty() && slow) {
    c.sink.emit<diag::NotSlow>(span, quoted(alternative.literals)).hint("remove `slow`");
  } else if (alternative.literals.empty() && !slow) {
    c.sink.emit<diag::NoLiteral>(span, extract.name)
        .hint("add literal text outside holes and optional parts, or `slow \"reason\"`");
  } else if (!weak.empty() && !slow) {
    c.sink
        .emit<diag::WeakLiteral>(
            span, quoted(alternative.literals), weak,
            fmt::format("{:.0f}", model::hits_a_million_lines(alternative.literals, alternative.any_case)))
        .hint("add literal text next to it, or `slow \"reason\"`");
  }
}

}  // namespace

void choose_literals(Context& c) {
  for (const Extract& extract : c.module.extracts) {
    for (const model::Alternative& each : extract.alternatives) {
      if (each.lines.empty()) return;  // Reported
    }
  }
  Choosing(c.module).run();
  if (c.sink.has_errors()) return;  // What is broken need not be weak, too.
  for (const Extract& extract : c.module.extracts) {
    for (const model::Alternative& each : extract.alternatives) judge(c, extract, each);
  }
}

}  // namespace attrib::compiler
