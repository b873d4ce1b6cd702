#include "model/line_program.h"

#include <doctest/doctest.h>

#include <random>

#include "model/line_matcher.h"

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
  explicit Generator(std::uint32_t seed) : random_(seed) {}

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
      out.parts.push_back(any_part(*types));
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
};

TEST_CASE("a compiled line finds what RE2 finds, in random templates and near misses") {
  const std::vector<std::string> names(kCaptures);
  std::size_t compiled = 0, matched = 0, lines = 0;
  for (std::uint32_t seed = 0; seed < 3000; ++seed) {
    Generator generate(seed);
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
