#include "tests/reference/pattern.h"

#include <algorithm>
#include <bitset>
#include <functional>
#include <limits>
#include <memory>

#include "base/check.h"
#include "model/part_pattern.h"

namespace attrib::reference {
namespace {

enum class NodeKind { Chars, Sequence, Choice, Repeat, Group };

struct Node;
using NodePtr = std::shared_ptr<Node>;
struct Node {
  NodeKind kind = NodeKind::Sequence;
  std::bitset<256> chars;
  std::vector<NodePtr> parts;
  std::size_t least = 0, most = 0;
  bool greedy = true;
  std::size_t group = 0;
};

constexpr std::size_t kEndless = std::numeric_limits<std::size_t>::max();

NodePtr make(NodeKind kind) {
  auto node = std::make_shared<Node>();
  node->kind = kind;
  return node;
}
NodePtr chars(std::bitset<256> set) {
  NodePtr node = make(NodeKind::Chars);
  node->chars = set;
  return node;
}
NodePtr repeat(NodePtr part, std::size_t least, std::size_t most, bool greedy = true) {
  NodePtr node = make(NodeKind::Repeat);
  node->parts = {std::move(part)};
  node->least = least;
  node->most = most;
  node->greedy = greedy;
  return node;
}
NodePtr literal(std::string_view text) {
  NodePtr node = make(NodeKind::Sequence);
  for (const char c : text)
    node->parts.push_back(chars(std::bitset<256>().set(static_cast<unsigned char>(c))));
  return node;
}
std::bitset<256> all_but(std::string_view excluded) {
  std::bitset<256> set;
  set.set();
  for (const char c : excluded) set.reset(static_cast<unsigned char>(c));
  return set;
}

// The expressions of reader.def and of `regex` lines: literals, classes, `.`, groups, `|` and
// repeats.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  NodePtr parse(std::vector<std::string>& group_names) {
    names_ = &group_names;
    NodePtr node = choice();
    ATTRIB_CHECK(at_ == text_.size(), "the second matcher does not know this expression");
    return node;
  }

 private:
  [[nodiscard]] bool done() const { return at_ == text_.size(); }
  [[nodiscard]] char peek() const { return done() ? '\0' : text_[at_]; }
  bool take(std::string_view what) {
    if (text_.substr(at_, what.size()) != what) return false;
    at_ += what.size();
    return true;
  }

  NodePtr choice() {
    NodePtr node = make(NodeKind::Choice);
    node->parts.push_back(sequence());
    while (take("|")) node->parts.push_back(sequence());
    return node;
  }

  NodePtr sequence() {
    NodePtr node = make(NodeKind::Sequence);
    while (!done() && peek() != '|' && peek() != ')') node->parts.push_back(repeats(atom()));
    return node;
  }

  NodePtr repeats(NodePtr part) {
    std::size_t least = 1, most = 1;
    if (take("*")) {
      least = 0, most = kEndless;
    } else if (take("+")) {
      most = kEndless;
    } else if (take("?")) {
      least = 0;
    } else if (peek() == '{') {
      ++at_;
      least = number();
      most = least;
      if (take(",")) most = peek() == '}' ? kEndless : number();
      ATTRIB_CHECK(take("}"), "a repeat without end");
    } else {
      return part;
    }
    return repeat(std::move(part), least, most, !take("?"));
  }

  std::size_t number() {
    std::size_t n = 0;
    while (peek() >= '0' && peek() <= '9')
      n = n * 10 + static_cast<std::size_t>(text_[at_++] - '0');
    return n;
  }

  NodePtr atom() {
    if (take("(?:")) return closed(choice());
    if (take("(?P<")) {
      const std::size_t end = text_.find('>', at_);
      return group(std::string(text_.substr(at_, end - at_)), end + 1);
    }
    if (take("(")) return group("", at_);
    if (take(".")) return chars(all_but("\n"));
    if (take("[")) return bracket();
    return chars(std::bitset<256>().set(static_cast<unsigned char>(escaped())));
  }

  NodePtr group(std::string name, std::size_t from) {
    at_ = from;
    NodePtr node = make(NodeKind::Group);
    node->group = names_->size();
    names_->push_back(std::move(name));
    node->parts = {closed(choice())};
    return node;
  }

  NodePtr closed(NodePtr node) {
    ATTRIB_CHECK(take(")"), "a group without end");
    return node;
  }

  char escaped() {
    if (!take("\\")) return text_[at_++];
    const char c = text_[at_++];
    return c == 't' ? '\t' : c == 'r' ? '\r' : c == 'n' ? '\n' : c;
  }

  NodePtr bracket() {
    const bool negated = take("^");
    std::bitset<256> set;
    while (peek() != ']') {
      const auto from = static_cast<unsigned char>(escaped());
      auto to = from;
      if (peek() == '-' && at_ + 1 < text_.size() && text_[at_ + 1] != ']') {
        ++at_;
        to = static_cast<unsigned char>(escaped());
      }
      for (unsigned c = from; c <= to; ++c) set.set(c);
    }
    ++at_;
    return chars(negated ? ~set : set);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::string>* names_ = nullptr;
};

struct Region {
  std::size_t begin = 0, end = 0;
};
using Regions = std::vector<std::optional<Region>>;
using Rest = std::function<bool(std::size_t)>;

class Backtracker {
 public:
  Backtracker(std::string_view text, std::size_t groups) : text_(text), regions(groups) {}

  bool match(const Node& node, std::size_t at, const Rest& rest) {
    switch (node.kind) {
      case NodeKind::Chars:
        return at < text_.size() && node.chars.test(static_cast<unsigned char>(text_[at])) &&
               rest(at + 1);
      case NodeKind::Sequence:
        return sequence(node, 0, at, rest);
      case NodeKind::Choice:
        return std::any_of(node.parts.begin(), node.parts.end(),
                           [&](const NodePtr& part) { return match(*part, at, rest); });
      case NodeKind::Repeat:
        return repeats(node, 0, at, rest);
      case NodeKind::Group: {
        const auto before = regions[node.group];
        if (match(*node.parts[0], at, [&](std::size_t end) {
              const auto inner = regions[node.group];
              regions[node.group] = Region{at, end};
              if (rest(end)) return true;
              regions[node.group] = inner;
              return false;
            })) {
          return true;
        }
        regions[node.group] = before;
        return false;
      }
    }
    return false;
  }

 private:
  bool sequence(const Node& node, std::size_t part, std::size_t at, const Rest& rest) {
    if (part == node.parts.size()) return rest(at);
    return match(*node.parts[part], at,
                 [&, part](std::size_t end) { return sequence(node, part + 1, end, rest); });
  }

  bool repeats(const Node& node, std::size_t done, std::size_t at, const Rest& rest) {
    const auto more = [&] {
      return done < node.most && match(*node.parts[0], at, [&](std::size_t end) {
               return (end > at || node.most != kEndless) && repeats(node, done + 1, end, rest);
             });
    };
    if (done < node.least) return more();
    return node.greedy ? more() || rest(at) : rest(at) || more();
  }

  std::string_view text_;

 public:
  Regions regions;
};

// What each group of the whole expression captures.
struct Target {
  std::size_t group;
  std::uint16_t capture;
  model::Reader reader;
};

struct Compiled {
  NodePtr node = make(NodeKind::Sequence);
  std::vector<std::string> group_names;
  std::vector<Target> targets;
};

NodePtr parsed(const std::string& expression) {
  std::vector<std::string> none;
  return Parser(expression).parse(none);
}

Compiled compile(const model::LineTemplate& line, const std::vector<std::string>& names,
                 const std::vector<model::Type>& types) {
  Compiled out;
  if (!line.regex.empty()) {
    out.node = Parser(line.regex).parse(out.group_names);
    for (std::size_t g = 0; g < out.group_names.size(); ++g) {
      const auto at = std::find(names.begin(), names.end(), out.group_names[g]);
      if (at == names.end()) continue;
      const auto index = static_cast<std::size_t>(at - names.begin());
      const model::Type& type = types[index];
      out.targets.push_back(
          {g, static_cast<std::uint16_t>(index),
           type.kind == model::ValueKind::Entity ? model::Reader::Entity : type.reader});
    }
    return out;
  }
  NodePtr outer = out.node;
  NodePtr into = outer;
  for (std::size_t i = 0; i < line.parts.size(); ++i) {
    const model::TemplatePart& part = line.parts[i];
    switch (part.kind) {
      case model::PartKind::Literal:
        into->parts.push_back(literal(part.text));
        break;
      case model::PartKind::Blank:
        into->parts.push_back(repeat(chars(std::bitset<256>().set(' ').set('\t')), 1, kEndless));
        break;
      case model::PartKind::Hole: {
        NodePtr group = make(NodeKind::Group);
        group->group = out.group_names.size();
        out.group_names.emplace_back();
        group->parts = {parsed(model::part_pattern(line, i, types))};
        out.targets.push_back({group->group, part.capture, part.reader});
        into->parts.push_back(group);
        break;
      }
      case model::PartKind::Skip:
        into->parts.push_back(parsed(model::part_pattern(line, i, types)));
        break;
      case model::PartKind::Rest:
        into->parts.push_back(repeat(chars(all_but("\n")), 0, kEndless));
        break;
      case model::PartKind::Gap:
        into->parts.push_back(repeat(chars(all_but("\n")), 0, kEndless, false));
        break;
      case model::PartKind::OptionalBegin:
        into = make(NodeKind::Sequence);
        outer->parts.push_back(repeat(into, 0, 1));
        break;
      case model::PartKind::OptionalEnd:
        into = outer;
        break;
    }
  }
  return out;
}

}  // namespace

bool match_line(const model::LineTemplate& line, const std::vector<std::string>& names,
                const std::vector<model::Type>& types, std::string_view text, Captures& captures) {
  const Compiled compiled = compile(line, names, types);
  const std::size_t last = line.at_start ? 0 : text.size();
  for (std::size_t from = 0; from <= last; ++from) {
    Backtracker backtracker(text, compiled.group_names.size());
    if (!backtracker.match(*compiled.node, from, [](std::size_t) { return true; })) continue;
    for (const Target& target : compiled.targets) {
      const auto& region = backtracker.regions[target.group];
      if (!region) continue;
      model::Constant value =
          model::read_value(types[target.capture], target.reader,
                            text.substr(region->begin, region->end - region->begin));
      if (value.kind != model::ValueKind::Null) captures[target.capture] = std::move(value);
    }
    return true;
  }
  return false;
}

}  // namespace attrib::reference
