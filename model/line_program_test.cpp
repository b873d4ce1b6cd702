#include "model/line_program.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "model/any_case.h"
#include "model/line_matcher.h"
#include "model/required_literals.h"

namespace attrib::model {
namespace {

using Captures = std::vector<std::optional<Constant>>;

constexpr std::size_t kCaptures = 6;

Type type_of(Reader reader) {
  Type type;
  type.reader = reader;
  type.kind = info(reader).kind;
  if (reader == Reader::Choice) type.words = {"Fatal", "Nonfatal", "Non"};
  if (reader == Reader::Entity) type.entity = EntityKind::Gpu;
  return type;
}

// Random templates and lines that nearly fit them: from few bytes, so that runs end in the wrong
// place.
class Generator {
 public:
  // `words`: texts and blanks mostly, as in a sentence.
  Generator(std::uint32_t seed, bool words) : random_(seed), words_(words) {}

  LineTemplate line(std::vector<Type>* types) {
    types->clear();
    for (std::size_t i = 0; i < kCaptures; ++i)
      types->push_back(type_of(static_cast<Reader>(below(reader_count()))));
    LineTemplate out;
    out.at_start = below(4) == 0;
    const std::size_t count = 1 + below(7);
    bool optional = false;
    for (std::size_t i = 0; i < count; ++i) {
      if (!optional && below(5) == 0) {
        out.parts.push_back(part(PartKind::OptionalBegin));
        optional = true;
      }
      const bool spoken = words_ && !out.parts.empty() && below(3) != 0;
      out.parts.push_back(spoken ? next_word(out.parts.back()) : any_part(*types));
      if (optional && below(2) == 0) {
        out.parts.push_back(part(PartKind::OptionalEnd));
        optional = false;
      }
    }
    if (optional) out.parts.push_back(part(PartKind::OptionalEnd));
    return out;
  }

  std::string text(const LineTemplate& line) {
    std::string out = below(3) == 0 ? noise() : "";
    for (const TemplatePart& each : line.parts) {
      if (below(12) == 0) continue;
      if (below(12) == 0) out += noise();
      switch (each.kind) {
        case PartKind::Literal:
          out += each.text;
          break;
        case PartKind::Blank:
          out += below(3) == 0 ? "\t " : " ";
          break;
        case PartKind::Hole:
        case PartKind::Skip:
          out += value(each.reader);
          break;
        case PartKind::Rest:
        case PartKind::Gap:
          out += noise();
          break;
        default:
          break;
      }
    }
    return below(3) == 0 ? out + noise() : out;
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }
  static TemplatePart part(PartKind kind) {
    TemplatePart out;
    out.kind = kind;
    return out;
  }
  TemplatePart next_word(const TemplatePart& before) {
    TemplatePart out = part(before.kind == PartKind::Literal ? PartKind::Blank : PartKind::Literal);
    if (out.kind == PartKind::Literal) out.text = literal();
    return out;
  }
  TemplatePart any_part(const std::vector<Type>& types) {
    TemplatePart out;
    switch (below(8)) {
      case 0:
      case 1:
      case 2:
        out.text = literal();
        break;
      case 3:
        out.kind = PartKind::Blank;
        break;
      case 4:
        out.kind = below(2) == 0 ? PartKind::Gap : PartKind::Rest;
        break;
      case 5:
        out.kind = PartKind::Skip;
        out.reader = static_cast<Reader>(below(reader_count() - 2));
        break;
      default:
        out.kind = PartKind::Hole;
        out.capture = static_cast<std::uint16_t>(below(kCaptures));
        out.reader = types[out.capture].reader;
        break;
    }
    return out;
  }
  std::string literal() {
    static const std::vector<std::string> kTexts = {"a",    "ab", "aab", ": ", "(",   ")",
                                                    "0x",   "=",  "[x]", "1",  "a.b", "\\",
                                                    "x\"y", "-",  ",",   "\n"};
    return kTexts[below(kTexts.size())];
  }
  std::string noise() {
    static const std::string kBytes = "aab 01x:.,-()\t\"fF\n\xff";
    std::string out;
    for (std::size_t i = below(9); i > 0; --i) out += kBytes[below(kBytes.size())];
    return out;
  }
  std::string value(Reader reader) {
    static const std::vector<std::string> kValues = {"1",
                                                     "-12",
                                                     "0x1f",
                                                     "0000:04:00",
                                                     "04:00.0",
                                                     "ab",
                                                     "a.b-1",
                                                     "GPU-00aa11bb-22",
                                                     "1-02:03:04.5",
                                                     "10ms",
                                                     "Fatal",
                                                     "true",
                                                     "1.5e3",
                                                     "/a/b c",
                                                     "Nonfatal error",
                                                     "yes'",
                                                     "a:1",
                                                     "3.",
                                                     "",
                                                     "12:34"};
    (void)reader;
    return kValues[below(kValues.size())];
  }
  std::mt19937 random_;
  bool words_;
};

TEST_CASE("a compiled line finds what RE2 finds, in random templates and near misses") {
  const std::vector<std::string> names(kCaptures);
  std::size_t compiled = 0, matched = 0, lines = 0;
  for (std::uint32_t seed = 0; seed < 6000; ++seed) {
    Generator generate(seed, seed % 2 == 0);
    std::vector<Type> types;
    const LineTemplate line = generate.line(&types);
    const LineMatcher oracle(line, names, types, LineMatcher::kMaxMemory,
                             LineMatcher::Engine::Re2Only);
    if (!oracle.error().empty()) continue;
    const LineMatcher tested(line, names, types);
    compiled += tested.has_program() ? 1 : 0;
    ++lines;
    for (int i = 0; i < 12; ++i) {
      const std::string text = generate.text(line);
      Captures expected(kCaptures), got(kCaptures);
      const bool want = oracle.match(text, &expected);
      CAPTURE(seed);
      CAPTURE(text);
      CAPTURE(to_text(line, {"a", "b", "c", "d", "e", "f"}));
      REQUIRE(tested.match(text, &got) == want);
      REQUIRE(got == expected);
      matched += want ? 1 : 0;
    }
  }
  CHECK(compiled > lines * 4 / 5);  // Only those with a line end in a text are left to RE2.
  CHECK(matched > lines);
}

// Random expressions of the syntax that a `regex` may have, and texts that nearly fit: letters of
// both cases, among them those whose other case is beyond ASCII (K and the Kelvin sign, s and the
// long s), and bytes that are letters in Latin-1.
class RegexGenerator {
 public:
  explicit RegexGenerator(std::uint32_t seed) : random_(seed) {}

  std::string expression() {
    names_ = 0;
    return (below(2) == 0 ? "(?i)" : "") + choices(0);
  }
  std::string text() {
    static const std::vector<std::string> kPieces = {
        "k", "K", "s", "S", "ab", "aB", "AB", "9", "_", " ", "-", "\t", "\xe9", "\xc9", "\xe2\x84\xaa",
        "\xc5\xbf", "disk", "DISK", "DiSk"};
    std::string out;
    for (std::size_t n = below(12); n > 0; --n) out += kPieces[below(kPieces.size())];
    return out;
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }
  std::string choices(int depth) {
    std::string out = sequence(depth);
    while (below(4) == 0) out += "|" + sequence(depth);
    return out;
  }
  std::string sequence(int depth) {
    std::string out;
    for (std::size_t n = 1 + below(4); n > 0; --n) out += piece(depth);
    return out;
  }
  std::string piece(int depth) {
    static const std::vector<std::string> kPlain = {"k",   "S",    "ab",   "aB",   "disk", "Disk",
                                                    "_",   "\\-",  "\xe9", "\xc3\x89", "9", "(?i)",
                                                    "^",   "$",    "\\b",  "\\B"};
    static const std::vector<std::string> kClasses = {"[a-k]", "[^K]",  "[S_]", ".",     "\\d",
                                                      "\\s",   "\\w",   "K",    "[^\xe9]", "[\xc0-\xdf]"};
    static const std::vector<std::string> kCounts = {"", "", "*", "+", "?", "*?", "{1,2}", "+?"};
    if (depth < 2 && below(5) == 0) {
      static const std::vector<std::string> kOpen = {"(?:", "(", "(?i:"};
      std::string open = kOpen[below(kOpen.size())];
      if (below(3) == 0 && names_ < 2) open = names_++ == 0 ? "(?P<a>" : "(?P<b>";
      const std::string inside = choices(depth + 1);
      static const std::vector<std::string> kEnds = {")", ")", ")?", "){2}", "){3}"};
      return open + inside + kEnds[below(kEnds.size())];
    }
    if (below(2) == 0) return kPlain[below(kPlain.size())];
    return kClasses[below(kClasses.size())] + kCounts[below(kCounts.size())];
  }

  std::mt19937 random_;
  int names_ = 0;
};

TEST_CASE("a regex that can be compiled finds what RE2 finds, and only in lines that hold its texts") {
  const std::vector<std::string> names = {"a", "b"};
  const std::vector<Type> types(2, type_of(Reader::Token));
  std::size_t compiled = 0, matched = 0, with_texts = 0;
  for (std::uint32_t seed = 0; seed < 4000; ++seed) {
    RegexGenerator generate(seed);
    LineTemplate line;
    line.regex = generate.expression();
    const LineMatcher oracle(line, names, types, LineMatcher::kMaxMemory,
                             LineMatcher::Engine::Re2Only);
    if (!oracle.error().empty()) continue;
    const LineMatcher tested(line, names, types);
    const RequiredLiterals required = required_literals(line);
    compiled += tested.has_program() ? 1 : 0;
    with_texts += required.any_of.empty() ? 0 : 1;
    for (int i = 0; i < 20; ++i) {
      const std::string text = generate.text();
      Captures expected(2), got(2);
      const bool want = oracle.match(text, &expected);
      CAPTURE(seed);
      CAPTURE(line.regex);
      CAPTURE(text);
      REQUIRE(tested.match(text, &got) == want);
      REQUIRE(got == expected);
      if (!want || required.any_of.empty()) continue;
      ++matched;
      const std::string in = required.any_case ? to_lower(text) : text;
      REQUIRE(std::any_of(required.any_of.begin(), required.any_of.end(), [&](const auto& each) {
        return in.find(each) != std::string::npos;
      }));
    }
  }
  CHECK(compiled > 1500);
  CHECK(with_texts > 1500);
  CHECK(matched > 1500);
}

TEST_CASE("in bytes no letter of ASCII has another case beyond it") {
  LineTemplate line;
  line.regex = "(?i)disk";
  for (const auto engine : {LineMatcher::Engine::Best, LineMatcher::Engine::Re2Only}) {
    const LineMatcher matcher(line, {}, {}, LineMatcher::kMaxMemory, engine);
    Captures captures;
    CHECK(matcher.match("a DiSk", &captures));
    CHECK_FALSE(matcher.match("a di\xc5\xbfk", &captures));       // Long s
    CHECK_FALSE(matcher.match("a dis\xe2\x84\xaa", &captures));  // Kelvin sign
  }
}

TEST_CASE("searches that end nowhere count, too") {
  const auto program = LineProgram::compile("a[^\\n]*?b[^\\n]*?c!", false);
  REQUIRE(program);
  std::vector<LineProgram::Group> groups;
  const std::string ends = "a" + std::string(16'000, 'b');
  CHECK(program->match(ends, &groups) == LineProgram::Outcome::GaveUp);
  CHECK(program->match(ends + "c!", &groups) == LineProgram::Outcome::Yes);
}

TEST_CASE("a template that goes back without end is answered by RE2") {
  std::vector<Type> types;
  const std::vector<std::string> names;
  LineTemplate line;
  for (int i = 0; i < 12; ++i) {
    TemplatePart gap;
    gap.kind = PartKind::Gap;
    line.parts.push_back(gap);
    TemplatePart a;
    a.text = "a";
    line.parts.push_back(a);
  }
  TemplatePart last;
  last.text = "!";
  line.parts.push_back(last);
  const LineMatcher tested(line, names, types);
  REQUIRE(tested.has_program());
  Captures captures;
  CHECK_FALSE(tested.match(std::string(5000, 'a'), &captures));
  CHECK(tested.match(std::string(5000, 'a') + "!", &captures));
}

}  // namespace
}  // namespace attrib::model
