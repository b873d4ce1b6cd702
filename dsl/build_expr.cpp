#include <algorithm>
#include <utility>

#include "dsl/build.h"

namespace attrib::dsl {
namespace {

// An expression and the height of its tree. Chains such as `a + b + c` grow to the left, so the
// grammar's limit on nesting does not bound them; this one does, and with it every recursion over
// the tree.
struct Built {
  ExprPtr expr;
  std::size_t height = 1;
};

template <typename T>
Built make(const Span& span, T&& value, std::size_t height) {
  return {std::make_unique<Expr>(Expr{span, std::forward<T>(value)}), height};
}

Span join(const Span& a, const Span& b) {
  return {a.source, std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

class ExprBuilder {
 public:
  Built build(const Node& node) {
    Built built = build_kind(node);
    if (built.height <= kMaxNesting) return built;
    BuildContext& context = node.context();
    if (!std::exchange(context.too_deep, true)) node.fail<diag::NestingTooDeep>(kMaxNesting);
    return make(node.span(), Literal{}, 1);
  }

 private:
  Built build_kind(const Node& node) {
    switch (node.kind()) {
      case Kind::Or:
        return chain(node, BinaryOp::Or);
      case Kind::And:
        return chain(node, BinaryOp::And);
      case Kind::Sum:
        return sum(node);
      case Kind::Comparison:
        return comparison(node);
      case Kind::Not:
        return unary(node, false);
      case Kind::Negate:
        return unary(node, true);
      case Kind::NameOrCall:
        return name_or_call(node);
      case Kind::Name:
        return make(node.span(), name_parts(node), 1);
      case Kind::Number:
        return make(node.span(), build_number(node), 1);
      case Kind::Text:
        return text(node);
      case Kind::Truth:
        return truth(node);
      case Kind::Count:
        return aggregate(node, AggregateKind::Count);
      case Kind::CountDistinct:
        return aggregate(node, AggregateKind::CountDistinct);
      case Kind::Least:
        return aggregate(node, AggregateKind::Least);
      case Kind::Odd:
        return aggregate(node, AggregateKind::Odd);
      default:
        ATTRIB_CHECK(false, "no expression has this kind of node");
    }
  }

  // a op b op c, grouped to the left. Stops growing at the limit; build() reports it.
  Built join_left(Built left, BinaryOp op, Built right) {
    if (left.height > kMaxNesting) return left;
    const std::size_t height = std::max(left.height, right.height) + 1;
    const Span span = join(left.expr->span, right.expr->span);
    return make(span, BinaryExpr{op, std::move(left.expr), std::move(right.expr)}, height);
  }

  Built chain(const Node& node, BinaryOp op) {
    Built left;
    for (const Node& child : node.children()) {
      Built next = build(child);
      left = left.expr ? join_left(std::move(left), op, std::move(next)) : std::move(next);
    }
    return left;
  }

  Built sum(const Node& node) {
    Built left;
    BinaryOp op = BinaryOp::Add;
    for (const Node& child : node.children()) {
      if (child.is(Kind::AddOp)) {
        op = child.text() == "+" ? BinaryOp::Add : BinaryOp::Sub;
        continue;
      }
      Built next = build(child);
      left = left.expr ? join_left(std::move(left), op, std::move(next)) : std::move(next);
    }
    return left;
  }

  static BinaryOp compare_op(std::string_view text) {
    if (text == "==") return BinaryOp::Equal;
    if (text == "!=") return BinaryOp::NotEqual;
    if (text == "<=") return BinaryOp::LessEqual;
    if (text == ">=") return BinaryOp::GreaterEqual;
    return text == "<" ? BinaryOp::Less : BinaryOp::Greater;
  }

  Built comparison(const Node& node) {
    const std::vector<Node> parts = node.children();
    if (parts[0].is(Kind::HasPrefix)) {
      Built what = build(parts[0].first());
      return make(parts[0].span(), HasExpr{nullptr, std::move(what.expr)}, what.height + 1);
    }
    Built left = build(parts[0]);
    if (parts.size() == 1) return left;
    const Node& suffix = parts[1];
    const std::size_t height = left.height + 1;
    switch (suffix.kind()) {
      case Kind::CompareOp:
        return join_left(std::move(left), compare_op(suffix.text()), build(parts[2]));
      case Kind::Rises:
        return make(node.span(), RisesExpr{std::move(left.expr)}, height);
      case Kind::HasSuffix: {
        Built what = build(suffix.first());
        return make(node.span(), HasExpr{std::move(left.expr), std::move(what.expr)}, height);
      }
      default:
        return in(node, std::move(left), suffix.first());
    }
  }

  Built in(const Node& node, Built left, const Node& set) {
    InExpr result;
    std::size_t height = left.height;
    result.value = std::move(left.expr);
    result.is_list = set.is(Kind::List);
    if (result.is_list) {
      result.list = build_all(set, height);
    } else {
      Built built = build(set);
      height = std::max(height, built.height);
      result.set = std::move(built.expr);
    }
    return make(node.span(), std::move(result), height + 1);
  }

  std::vector<ExprPtr> build_all(const Node& node, std::size_t& height) {
    std::vector<ExprPtr> all;
    for (const Node& child : node.children()) {
      Built built = build(child);
      height = std::max(height, built.height);
      all.push_back(std::move(built.expr));
    }
    return all;
  }

  Built unary(const Node& node, bool negate) {
    Built operand = build(node.first());
    return make(node.span(), UnaryExpr{negate, std::move(operand.expr)}, operand.height + 1);
  }

  static NameExpr name_parts(const Node& node) {
    NameExpr name;
    const std::string_view text = node.text();
    const Span span = node.span();
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find('.', begin), text.size());
      const Span part{span.source, span.begin + static_cast<std::uint32_t>(begin),
                      span.begin + static_cast<std::uint32_t>(end)};
      name.parts.push_back({std::string(text.substr(begin, end - begin)), part});
      begin = end + 1;
    }
    return name;
  }

  Built name_or_call(const Node& node) {
    const auto args = node.child(Kind::Args);
    if (!args) return make(node.span(), name_parts(node.first()), 1);
    CallExpr call;
    call.callee = build_name(node.first());
    std::size_t height = 1;
    call.args = build_all(*args, height);
    return make(node.span(), std::move(call), height + 1);
  }

  static Built text(const Node& node) {
    Literal literal;
    literal.kind = LiteralKind::Text;
    literal.text = build_text(node).value;
    literal.span = node.span();
    return make(node.span(), std::move(literal), 1);
  }

  static Built truth(const Node& node) {
    Literal literal;
    literal.kind = LiteralKind::Truth;
    literal.text = std::string(node.text());
    literal.number = literal.text == "true" ? 1 : 0;
    literal.span = node.span();
    return make(node.span(), std::move(literal), 1);
  }

  Built aggregate(const Node& node, AggregateKind kind) {
    AggregateExpr result;
    result.kind = kind;
    std::size_t height = 1;
    for (const Node& child : node.children()) {
      if (child.is(Kind::Name)) {
        result.value = build(child).expr;
      } else if (child.is(Kind::Over)) {
        result.over = sub(child.first(), height);
      } else {
        std::vector<Name> names = build_names(child);
        result.variable = std::move(names.front());
        result.types.assign(std::make_move_iterator(names.begin() + 1),
                            std::make_move_iterator(names.end()));
        if (const auto where = child.child(Kind::Where)) result.where = sub(where->first(), height);
      }
    }
    return make(node.span(), std::move(result), height + 1);
  }

  ExprPtr sub(const Node& node, std::size_t& height) {
    Built built = build(node);
    height = std::max(height, built.height);
    return std::move(built.expr);
  }
};

}  // namespace

ExprPtr build_expr(const Node& node) { return ExprBuilder().build(node).expr; }

RangeClause build_range(const Node& node) {
  const std::vector<Node> ends = node.children();
  return {build_expr(ends[0]), ends.size() > 1 ? build_expr(ends[1]) : nullptr, node.span()};
}

VariableDecl build_variable(const Node& node) {
  VariableDecl variable;
  variable.span = node.span();
  std::vector<Name> names = build_names(node);
  variable.name = std::move(names.front());
  variable.types.assign(std::make_move_iterator(names.begin() + 1),
                        std::make_move_iterator(names.end()));
  if (const auto where = node.child(Kind::Where)) variable.where = build_expr(where->first());
  return variable;
}

PairList build_object(const Node& node) {
  PairList object;
  object.span = node.span();
  for (const Node& child : node.children()) {
    const std::vector<Node> parts = child.children();
    Pair pair;
    pair.name = build_name(parts[0]);
    pair.span = child.span();
    if (parts[1].is(Kind::Object)) {
      pair.object = build_object(parts[1]);
    } else if (parts[1].is(Kind::List)) {
      pair.list.emplace();
      for (const Node& item : parts[1].children()) pair.list->push_back(build_expr(item));
    } else {
      pair.value = build_expr(parts[1]);
    }
    object.pairs.push_back(std::move(pair));
  }
  return object;
}

}  // namespace attrib::dsl
