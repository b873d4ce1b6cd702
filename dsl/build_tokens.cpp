#include <array>
#include <limits>

#include "base/text.h"
#include "dsl/build.h"

namespace attrib::dsl {
namespace {

constexpr std::int64_t kMillion = 1'000'000;

struct Unit {
  std::string_view name;
  LiteralKind kind;
  std::int64_t scale;
};

constexpr auto kUnits = std::to_array<Unit>({
    {"ns", LiteralKind::Duration, 1},
    {"us", LiteralKind::Duration, 1'000},
    {"ms", LiteralKind::Duration, kMillion},
    {"s", LiteralKind::Duration, 1'000'000'000},
    {"m", LiteralKind::Duration, 60 * 1'000'000'000LL},
    {"h", LiteralKind::Duration, 3600 * 1'000'000'000LL},
    {"d", LiteralKind::Duration, 86400 * 1'000'000'000LL},
    {"B", LiteralKind::Size, 1},
    {"KiB", LiteralKind::Size, 1LL << 10},
    {"MiB", LiteralKind::Size, 1LL << 20},
    {"GiB", LiteralKind::Size, 1LL << 30},
    {"TiB", LiteralKind::Size, 1LL << 40},
    {"%", LiteralKind::Decimal, 10'000},
});

const Unit* find_unit(std::string_view name) {
  for (const Unit& unit : kUnits) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::optional<std::int64_t> times(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

std::optional<std::int64_t> plus(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

std::optional<std::int64_t> parse_digits(std::string_view digits, int base) {
  std::int64_t value = 0;
  for (const char c : digits) {
    const auto shifted = times(value, base);
    const auto next = shifted ? plus(*shifted, hex_value(c)) : std::nullopt;
    if (!next) return std::nullopt;
    value = *next;
  }
  return value;
}

// WHOLE.FRACTION times scale, exactly; nothing when it is out of range or has a rest.
std::optional<std::int64_t> scaled(std::string_view whole, std::string_view fraction,
                                   std::int64_t scale) {
  while (fraction.ends_with('0')) fraction.remove_suffix(1);
  const auto units = parse_digits(whole, 10);
  const auto value = units ? times(*units, scale) : std::nullopt;
  if (!value) return std::nullopt;
  std::int64_t part = scale;
  std::int64_t rest = 0;
  for (const char c : fraction) {
    if (part % 10 != 0) return std::nullopt;
    part /= 10;
    rest += part * (c - '0');
  }
  return plus(*value, rest);
}

// The parts of a number as written: `-`, `12`, `.5`, `ms`.
struct Spelling {
  bool negative = false;
  bool hex = false;
  std::string_view whole, fraction, unit;
};

Spelling spell(std::string_view text) {
  Spelling parts;
  if (text.starts_with('-')) {
    parts.negative = true;
    text.remove_prefix(1);
  }
  if (text.starts_with("0x") && text.size() > 2 &&
      text.find_first_not_of("0123456789abcdefABCDEF", 2) == text.npos) {
    parts.hex = true;
    parts.whole = text.substr(2);
    return parts;
  }
  std::size_t at = 0;
  while (at < text.size() && is_digit(text[at])) ++at;
  parts.whole = text.substr(0, at);
  if (at < text.size() && text[at] == '.') {
    const std::size_t begin = ++at;
    while (at < text.size() && is_digit(text[at])) ++at;
    parts.fraction = text.substr(begin, at - begin);
  }
  parts.unit = text.substr(at);
  return parts;
}

std::optional<std::int64_t> number_value(const Spelling& parts, Literal& literal,
                                         const Unit* unit) {
  if (parts.hex) return parse_digits(parts.whole, 16);
  if (unit != nullptr) {
    literal.kind = unit->kind;
    return scaled(parts.whole, parts.fraction, unit->scale);
  }
  if (parts.fraction.empty()) return parse_digits(parts.whole, 10);
  literal.kind = LiteralKind::Decimal;
  return scaled(parts.whole, parts.fraction, kMillion);
}

std::string resolve_escapes(std::string_view body, bool in_template) {
  std::string out;
  out.reserve(body.size());
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i] != '\\' || i + 1 == body.size()) {
      out += body[i];
      continue;
    }
    const char c = body[++i];
    if (c == 'n')
      out += '\n';
    else if (c == 't')
      out += '\t';
    else if (c == 'x' && i + 2 < body.size()) {
      out += static_cast<char>(hex_value(body[i + 1]) * 16 + hex_value(body[i + 2]));
      i += 2;
    } else if ((c == '{' || c == '}') && in_template)
      out.append(2, c);
    else
      out += c;
  }
  return out;
}

Text build_any_text(const Node& node, bool in_template) {
  const std::string_view written = node.text();
  Text text{resolve_escapes(written.substr(1, written.size() - 2), in_template), node.span()};
  std::size_t escaped = 0;
  escape_invalid_utf8(text.value, &escaped);
  if (escaped > 0 || text.value.find('\0') != std::string::npos) {
    node.fail<diag::BadText>("the value of this text")
        .hint("write bytes above 0x7f as the UTF-8 of a character");
  }
  return text;
}

}  // namespace

std::vector<Node> Node::children() const {
  std::vector<Node> all;
  for (std::uint32_t i = index_ + 1; i < raw().next; i = context_->tree[i].next)
    all.emplace_back(*context_, i);
  return all;
}

std::optional<Node> Node::child(Kind kind) const {
  for (std::uint32_t i = index_ + 1; i < raw().next; i = context_->tree[i].next) {
    if (context_->tree[i].kind == kind) return Node(*context_, i);
  }
  return std::nullopt;
}

Name build_name(const Node& node) {
  if (node.is(Kind::Text)) {
    Text text = build_text(node);
    return {std::move(text.value), text.span};
  }
  return {std::string(node.text()), node.span()};
}

Text build_text(const Node& node) { return build_any_text(node, false); }
Text build_template(const Node& node) { return build_any_text(node, true); }

std::vector<Name> build_names(const Node& node) {
  std::vector<Name> names;
  for (const Node& child : node.children()) {
    if (child.is(Kind::Name)) names.push_back(build_name(child));
  }
  return names;
}

void add_references(const Node& node, std::vector<Text>& references) {
  for (const Node& child : node.children()) references.push_back(build_text(child));
}

Literal build_number(const Node& node) {
  Literal literal;
  literal.span = node.span();
  literal.text = std::string(node.text());
  const Spelling parts = spell(node.text());
  literal.hex = parts.hex;
  const Unit* unit = parts.unit.empty() ? nullptr : find_unit(parts.unit);
  if (unit == nullptr && !parts.unit.empty()) {
    node.fail<diag::UnknownUnit>(node.text(), parts.unit);
    return literal;
  }
  const auto value = number_value(parts, literal, unit);
  if (!value) {
    node.fail<diag::NumberOutOfRange>(node.text());
    return literal;
  }
  literal.number = parts.negative ? -*value : *value;
  return literal;
}

std::int64_t build_integer(const Node& node) {
  const Literal literal = build_number(node);
  if (literal.kind != LiteralKind::Int)
    node.fail<diag::SyntaxError>("a whole number, found `" + literal.text + "`");
  return literal.number;
}

std::int64_t build_duration(const Node& node) {
  const Literal literal = build_number(node);
  if (node.context().failed) return 0;
  if (literal.kind != LiteralKind::Duration) {
    Diagnostic& report = node.fail<diag::NotADuration>(literal.text);
    if (literal.kind == LiteralKind::Int && !literal.hex)
      report.hint("write `" + literal.text + "s` for seconds");
  }
  return literal.number;
}

}  // namespace attrib::dsl
