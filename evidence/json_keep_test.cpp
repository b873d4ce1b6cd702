#include "evidence/json_keep.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "evidence/json_shape.h"
#include "evidence/test_evidence.h"

namespace attrib::evidence {
namespace {

constexpr std::uint32_t kReach = 3;

struct Word {
  std::string_view text, in_json;
  LineFilter::Reasons why = 0;
};
constexpr std::array<Word, 6> kWords = {{
    {"FAULT", "FAULT", LineFilter::kRead},
    {"say \"no\"\t", R"(say \"no\"\t)", LineFilter::kRead},
    {"step=", "step=", LineFilter::kLatest},
    {"BEGIN", "BEGIN", LineFilter::kRead | LineFilter::kLeads},
    {"CAUSE", "CAUSE", LineFilter::kSecond | LineFilter::kFollows},
    {"ENTERED", "ENTERED", LineFilter::kRead | LineFilter::kAlike},
}};

// Is it a line of progress? One that asks holds the word and is none.
bool shows_step(std::string_view body) {
  const std::size_t at = body.find("step=");
  return at != std::string_view::npos && !body.substr(at).starts_with("step=?");
}

// Wants lines that hold a word; of progress the latest; CAUSE within kReach lines of BEGIN; and of what
// streams ENTERED the first.
class WordFilter : public LineFilter {
 public:
  [[nodiscard]] std::unique_ptr<LineFilter> another() const override {
    return std::make_unique<WordFilter>();
  }
  void narrow(model::SourceMask /*speaks*/) override {}
  void prepare() override {}
  void search(std::string_view block, std::vector<Hit>* hits) const override { find(block, hits); }
  std::uint32_t note(std::string_view /*body*/, const Place& /*place*/) override { return 0; }
  Answer confirms(std::string_view line, std::span<const Hit> /*hits*/) override {
    const bool ascii = std::all_of(line.begin(), line.end(), [](char c) { return c >= 0; });
    return ascii ? matches(line, nullptr) : Answer{kMark};
  }
  Answer matches(std::string_view body, const Place* /*place*/) override {
    Answer out;
    for (const Word& word : kWords) {
      if (word.why == kLatest ? shows_step(body)
                              : (word.why & kFollows) == 0 && body.find(word.text) != std::string_view::npos)
        out.why = static_cast<Reasons>(out.why | word.why);
    }
    if ((out.why & kLatest) != 0) out.sorts = kProgress;
    return out;
  }
  bool says(std::string_view body, std::span<const Hit> hits, model::SourceMask /*speaks*/,
            std::string* said) override {
    const std::size_t at = body.find("ENTERED");
    const bool alike = std::all_of(hits.begin(), hits.end(), [](const Hit& hit) { return (hit.why & kAlike) != 0; });
    if (at == std::string_view::npos || !alike) return false;
    *said = body.substr(at);
    return true;
  }
  [[nodiscard]] Sorts sorts_of(std::uint32_t /*text*/) const override { return kProgress; }
  [[nodiscard]] Sorts heard(Sorts sorts, model::SourceMask /*speaks*/) const override {
    return sorts;
  }
  std::optional<Counting> counting(std::string_view /*body*/, const Place* /*place*/,
                                   model::SourceMask /*present*/) override {
    return std::nullopt;
  }
  void heads(std::string_view body, std::vector<std::uint32_t>* found) override {
    found->assign(body.find("BEGIN") != std::string_view::npos ? 1 : 0, 0);
  }
  std::uint32_t reach(std::uint32_t /*head*/) const override { return kReach; }
  Reasons goes_on(std::uint32_t /*head*/, std::string_view body) override {
    return body.find("CAUSE") != std::string_view::npos ? Reasons{kSecond} : Reasons{0};
  }

 private:
  static void find(std::string_view block, std::vector<Hit>* hits) {
    hits->clear();
    const auto find_all = [&](std::string_view text, std::uint32_t number, Reasons why) {
      for (std::size_t at = block.find(text); at != std::string_view::npos;
           at = block.find(text, at + 1))
        hits->push_back({at, number, why});
    };
    for (std::uint32_t i = 0; i < kWords.size(); ++i) {
      find_all(kWords[i].text, i, kWords[i].why);
      if (kWords[i].in_json != kWords[i].text) find_all(kWords[i].in_json, i, kWords[i].why);
    }
    for (const std::string_view mark : line_marks()) {
      std::string spelled;
      for (const char c : mark) {
        if (c == '"') spelled += '\\';
        spelled += c;
      }
      find_all(spelled, 99, kMark);
      if (spelled != mark) find_all(mark, 99, kMark);
    }
    std::sort(hits->begin(), hits->end(), [](const Hit& a, const Hit& b) { return a.at < b.at; });
  }
};

// What such rules find.
std::set<std::string> events_of(const Evidence& e, bool with_times = true) {
  std::set<std::string> out;
  const auto told = [with_times](const Observation& o) {
    const std::string times = fmt::format("{}..{} ", o.seen.lo, o.seen.hi);
    return fmt::format("{} {} {} {}{} {}", o.ids.front(), o.node, o.rank.value_or(999),
                       with_times ? times : "", o.speaks, o.message);
  };
  std::map<std::uint32_t, std::string> latest;
  std::set<std::tuple<std::uint32_t, model::SourceMask, std::string>> entered;
  for (std::size_t i = 0; i < e.observations.size(); ++i) {
    const Observation& o = e.observations[i];
    if (o.is_metric || o.is_record) {
      out.insert(told(o) + o.name.str());
      continue;
    }
    const bool read = o.message.find("FAULT") != std::string::npos ||
                      o.message.find("say \"no\"\t") != std::string::npos;
    if (read) out.insert(told(o));
    const std::size_t entry = std::string_view(o.message).find("ENTERED");
    if (entry != std::string_view::npos && entered.emplace(o.stream, o.speaks, o.message.substr(entry)).second)
      out.insert("first " + told(o));
    if (shows_step(o.message) && o.seen.known)
      latest[o.stream] = std::max(latest[o.stream], fmt::format("{:020} {}", o.seen.hi, told(o)));
    if (o.message.find("BEGIN") == std::string::npos) continue;
    out.insert("begin " + told(o));
    for (std::size_t k = i + 1; k < e.observations.size() && k <= i + kReach; ++k) {
      const Observation& next = e.observations[k];
      if (next.stream != o.stream) break;
      if (next.message.find("CAUSE") == std::string::npos) continue;
      out.insert("cause " + told(o) + " by " + told(next));
      break;
    }
  }
  for (const auto& [stream, line] : latest) out.insert("latest " + line);
  for (const Stream& each : e.streams)
    out.insert(fmt::format("stream {} {} {}", model::word(each.source), each.node,
                           each.rank.value_or(999)));
  for (const SourceStatus& each : e.sources) {
    for (const Interval& c : each.coverage)
      out.insert(fmt::format("{} covers {}..{}", each.node, c.begin, c.end));
  }
  for (const std::string& each : e.problems) out.insert(each);
  return out;
}

Evidence read_filtered(const Input& input) {
  WordFilter filter;
  ReadOptions options;
  options.filter = &filter;
  return must_read({input}, options);
}

class Random {
 public:
  explicit Random(std::uint32_t seed) : state_(seed) {}
  std::uint32_t below(std::uint32_t n) {
    state_ = state_ * 1664525U + 1013904223U;
    return (state_ >> 8U) % n;
  }
  bool one_in(std::uint32_t n) { return below(n) == 0; }

 private:
  std::uint32_t state_;
};

std::string message_of(Random* random, std::uint32_t i, bool heads = true, bool labels = true) {
  switch (random->below(40)) {
    case 0:
      return fmt::format("FAULT {}", i);
    case 1:
      return fmt::format(R"(say \"no\"\t{})", i);
    case 2:
      return fmt::format(R"(say \u0022no\u0022\u0009{})", i);
    case 3:
      return fmt::format(R"(F\u0041ULT {})", i);
    case 4:
      return fmt::format(R"(a\/b FAULT {})", i);
    case 5:
      return fmt::format("[rank{}]: FAULT {}", random->below(6), i);
    case 6:
      return fmt::format("[rank{}]: all is well {}", random->below(6), i);
    case 7:
      return fmt::format("{}{} says {}", random->below(6), labels ? ": task" : " tasks", i);
    case 8:
      return fmt::format("{} {}", heads ? "BEGIN" : "quiet", i);
    case 9:
      return fmt::format("CAUSE {}", i);
    case 10:
      return fmt::format(R"(\u001b[36mFA\u001b[0mULT {})", i);
    case 11:
      return fmt::format("caf\xC3\xA9 FAULT {}", i);
    case 12:
      return fmt::format("bad \xFF FAULT {}", i);
    case 13:
      return fmt::format(
          R"({{\"log\":\"FA\\u0055LT {}\\n\",\"stream\":\"stdout\",\"time\":\"2026-05-18T08:31:05.123456789Z\"}})",
          i);
    case 14:
      return fmt::format(R"(n 1 says \"no\" and {} \\)", i);
    case 15:
      return random->one_in(20) ? std::string("kernel: 12 callbacks suppressed") : "quiet";
    case 16:
    case 17:
    case 18:
      return fmt::format("step={}", i);
    case 19:
      return fmt::format("step={}{}", random->one_in(2) ? "?" : "", i);
    case 20:
      return "";
    case 21:
      return fmt::format("ENTERED {}", i % 3);
    case 22:
      return fmt::format("{}ENTERED {}", random->one_in(2) ? "NVRM: " : "we have ", i % 2);
    case 23:
      return fmt::format("[rank{}]: ENTERED {}", random->below(3), i % 2);
    case 24:
      return fmt::format("ENTERED {}{}", i % 2, random->one_in(9) ? " FAULT" : "");
    default:
      return fmt::format("all is well, {}", i);
  }
}

struct Shape {
  std::uint32_t streams = 5;
  bool in_order = true;
  std::uint32_t step = 7;  // Milliseconds from line to line.
  bool wild = true;        // Other spellings, bad lines, other observations.
  bool heads = true;       // Patterns of several lines.
  bool labels = true;      // Of tasks, which may be ranks or not.
};

std::string log_of(std::uint32_t seed, const Shape& shape, std::uint32_t lines = 3000) {
  Random random(seed);
  std::string out =
      R"({"schema":"attrib.evidence/1","sources":[{"kind":"kernel","node":"n1","coverage":[["2026-05-18T08:00:00Z","2026-05-18T12:00:00Z"]]}]})"
      "\n";
  for (std::uint32_t i = 0; i < lines; ++i) {
    const std::uint32_t n = shape.in_order ? i : random.below(lines);
    const std::uint64_t ms = std::uint64_t{n} * shape.step;
    const std::string unit = shape.step % 1000 == 0 ? "" : fmt::format(".{:03}", ms % 1000);
    const std::string ts = fmt::format("2026-05-18T{:02}:{:02}:{:02}{}Z", 8 + ms / 3600000,
                                       ms / 60000 % 60, ms / 1000 % 60, unit);
    const std::uint32_t stream = random.below(shape.streams);
    const bool ranked = stream % 3 != 0;
    std::string source = stream % 2 == 0 ? "app" : "kernel";
    if (stream % 5 == 4) source = "slurm";
    std::string where = fmt::format(R"("source":"{}","node":"n{}")", source, stream % 4);
    if (ranked) where += fmt::format(R"(,"rank":{})", stream);
    if (stream == 4) where += fmt::format(R"(,"seq":{})", n);
    const std::string message = message_of(&random, i, shape.heads, shape.labels);
    const std::string text = fmt::format(R"("message":"{}")", message);
    std::string line = fmt::format(R"({{"ts":"{}",{},{}}})", ts, where, text);
    if (shape.wild) {
      switch (random.below(30)) {
        case 0:
          line = fmt::format(R"({{{}, {}, "ts": "{}"}})", text, where, ts);
          break;
        case 1:
          line = fmt::format(R"({{ "ts" : "{}" , {} , {} }})", ts, where, text);
          break;
        case 2:
          line = fmt::format(R"({{{},{}}})", where, text);
          break;  // No time.
        case 3:
          line = random.one_in(2)
                     ? fmt::format(R"({{"id":"x{}","ts":"{}",{},{}}})", i, ts, where, text)
                     : fmt::format(R"({{"id":"x{}",{},{}}})", i, where, text);
          break;
        case 4:
          line =
              fmt::format(R"({{"ts":"{}",{},{},"labels":{{"message":"FAULT"}}}})", ts, where, text);
          break;
        case 5:
          line = fmt::format(R"({{"ts":"{}","labels":{{"message":"a"}},{},{}}})", ts, where, text);
          break;
        case 6:
          line = fmt::format(R"({{"ts":"{}",{},"name":"load","value":{}}})", ts, where, i);
          break;
        case 7:
          line = fmt::format(R"({{"ts":"{}",{},"record":{{"state":"{}"}}}})", ts, where, i);
          break;
        case 8:
          line += random.one_in(2) ? "\r" : "  ";
          break;
        case 9:
          line = fmt::format(R"({{"ts":{}.{:03},{},{}}})", 1779091200 + ms / 1000, ms % 1000, where,
                             text);
          break;
        case 10:
          if (random.one_in(4)) line = line.substr(0, line.size() / 2);
          break;
        case 11:
          if (random.one_in(4)) line = "";
          break;
        case 12:
          line = fmt::format(R"({{"ts":"{}",{},"pod":"p{}",{}}})", ts, where, i % 3, text);
          break;
        case 13:
          if (random.one_in(4))
            line = fmt::format(R"({{"ts":"{}",{},"rank":"no",{}}})", ts, where, text);
          break;
        case 14:
          if (random.one_in(4)) line += " more";
          break;
        case 15:
          line = fmt::format(
              R"({{"ts":"{}","source":"metric","node":"n1","message":"load{{gpu=\"1\"}} {}"}})", ts,
              i);
          break;
        case 16:
          line = fmt::format(R"({{"ts":"{}",{}}})", ts, text);
          break;
        default:
          break;
      }
    }
    out += line + (i + 1 == lines ? "" : "\n");
  }
  return out;
}

// `less`: fewer than two thirds of the lines are to be kept.
void check_same(const std::string& text, bool less = false, bool with_times = true) {
  const Evidence all = must_read({json_input(text)});
  const Evidence some = read_filtered(json_input(text));
  const auto of_all = events_of(all, with_times), of_some = events_of(some, with_times);
  CHECK(of_all.size() > 20);
  if (less) CHECK(some.observations.size() < all.observations.size() * 2 / 3);
  std::string differences;
  for (const std::string& each : of_all)
    differences += of_some.contains(each) ? "" : "- " + each + "\n";
  for (const std::string& each : of_some)
    differences += of_all.contains(each) ? "" : "+ " + each + "\n";
  CHECK(differences == "");
  CHECK(some.counters.rejected == all.counters.rejected);
  CHECK(some.counters.escaped <= all.counters.escaped);
}

TEST_CASE("rules find the same in NDJSON whose ordinary lines are passed over") {
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    Shape shape;
    shape.streams = 2 + seed;
    check_same(log_of(seed, shape));
    shape.heads = false;  // Else most of these logs are read twice, since their times are written
                          // in several ways.
    // A line whose label may be a rank or not takes no time from those without one.
    check_same(log_of(seed, shape), true, false);
    shape.labels = false;
    check_same(log_of(seed, shape), true);
    shape.labels = shape.heads = true;
    shape.wild = false;
    check_same(log_of(seed, shape), true);
    shape.in_order = false;
    check_same(log_of(seed, shape));
  }
}

TEST_CASE("of lines that say the same the earliest is kept, whatever the order in the file") {
  const auto log = [](std::initializer_list<std::pair<int, const char*>> lines) {
    std::string out;
    for (const auto& [second, message] : lines)
      out += fmt::format(R"({{"ts":"2026-05-18T08:00:{:02}Z","source":"app","node":"n1","rank":3,"message":"{}"}})", second, message) + "\n";
    return out;
  };
  // The first letters of those that are kept.
  const auto kept = [&](std::initializer_list<std::pair<int, const char*>> lines) {
    std::string out;
    for (const Observation& o : read_filtered(json_input(log(lines))).observations) {
      if (std::string_view(o.message).find("ENTERED") != std::string_view::npos) out += o.message[0];
    }
    std::sort(out.begin(), out.end());
    return out;
  };
  CHECK(kept({{1, "well"}, {2, "a ENTERED 1"}, {3, "b ENTERED 2"}, {4, "c ENTERED 1"}, {5, "d ENTERED 2"}}) == "ab");
  // A line from before one that was there comes late.
  CHECK(kept({{1, "well"}, {7, "a ENTERED 1"}, {8, "b ENTERED 1"}, {2, "c ENTERED 1"}}) == "ac");
  // Of one time, or behind a line from before, nobody knows here.
  CHECK(kept({{1, "well"}, {7, "a ENTERED 1"}, {7, "b ENTERED 1"}, {8, "c ENTERED 1"}}) == "ab");
  CHECK(kept({{1, "well"}, {7, "a ENTERED 1"}, {3, "well"}, {5, "c ENTERED 1"}}) == "ac");
}

TEST_CASE("lines of one second have no order among themselves, passed over or not") {
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    CAPTURE(seed);
    Shape shape;
    shape.wild = false;
    shape.step = 1000;
    check_same(log_of(seed, shape, 1000));
    // Several lines a second.
    std::string text;
    Random random(seed);
    for (int i = 0; i < 2000; ++i)
      text += fmt::format(
          R"({{"ts":"2026-05-18T08:{:02}:{:02}Z","source":"app","node":"n1","rank":{},"message":"{}"}})"
          "\n",
          i / 600, i / 10 % 60, random.below(2),
          message_of(&random, static_cast<std::uint32_t>(i)));
    check_same(text);
  }
}

TEST_CASE("most lines are passed over, and counted") {
  std::string text;
  for (int i = 0; i < 20000; ++i)
    text += fmt::format(
        R"({{"ts":"2026-05-18T08:{:02}:{:02}.{:03}Z","source":"app","node":"n{}","rank":{},"message":"{} {}"}})"
        "\n",
        i / 600 % 60, i / 10 % 60, i % 10 * 100, i % 4, i % 16,
        i % 4000 == 17 ? "FAULT"
        : i % 3 == 0   ? "step="
                       : "well",
        i);
  check_same(text);
  const Evidence e = read_filtered(json_input(text));
  CHECK(e.observations.size() <= 5 + 2 * 16);
  CHECK(e.counters.lines == 20000);
}

TEST_CASE("a bad line is named although lines like it are passed over") {
  const std::string good =
      R"({"ts":"2026-05-18T08:00:00.000Z","source":"app","node":"n1","rank":1,"message":"well"})";
  std::string text;
  for (int i = 0; i < 50; ++i) text += good + "\n";
  const auto problem = [&](std::string line) {
    const Evidence e = read_filtered(json_input(text + line + "\n" + good + "\n"));
    return e.problems.empty() ? std::string("none") : e.problems.front();
  };
  CHECK(problem(good) == "none");
  CHECK(problem(good.substr(0, 60)) == "in.json:51: torn line: it ends before its object does");
  CHECK(problem(R"({"ts":"2026-05-18T08:00:00.000Z","source":"ap","node":"n1","message":"well"})")
            .starts_with("in.json:51: field `source`: expected one of"));
  CHECK(
      problem(R"({"ts":"2026-05-18T08:00:00.000Z","source":"app","node":"n1","rank":1,"message":"w)"
              "\x01"
              R"("})")
          .starts_with("in.json:51: not JSON"));
  CHECK(
      problem(
          R"({"ts":"2026-05-18T08:00:00.000Z","source":"app","node":"n1","rank":1,"message":"w\x"})")
          .starts_with("in.json:51: not JSON"));
  CHECK(problem(R"({"ts":"x","source":"app","node":"n1","rank":1,"message":"well"})")
            .starts_with("in.json:51: field `ts`: expected a time"));
}

TEST_CASE("the shape of the usual line is seen whatever lies behind it, and no other") {
  const auto shape = [](std::string_view text) {
    JsonShape out;
    return read_json_shape(text, &out) ? std::optional(out) : std::nullopt;
  };
  const std::string line =
      R"({"ts":"2026-05-18T08:00:00Z","node":"n1","seq":12,"message":"a \"b\" c"})";
  for (const std::string& behind :
       {std::string(), std::string("\n"), std::string("\r\n"), "\n" + line}) {
    const std::string text = line + behind;
    const auto found = shape(text);
    REQUIRE(found);
    CHECK(found->line == line);
    CHECK(found->ts == "2026-05-18T08:00:00Z");
    CHECK(found->seq == "12");
    CHECK(found->message == R"(a \"b\" c)");
    CHECK(found->escapes);
    CHECK(found->end ==
          line.size() + std::min<std::size_t>(behind.size(), behind.starts_with('\r') ? 2 : 1));
    CHECK(std::string(found->head[0]) + std::string(found->head[1]) + std::string(found->head[2]) ==
          R"({"ts":"","node":"n1","seq":,"message":")");
  }
  for (std::size_t cut = 0; cut < line.size(); ++cut) {
    CHECK_FALSE(shape(line.substr(0, cut)));
    CHECK_FALSE(shape(line.substr(0, cut) + "\n" + line.substr(cut)));
  }
  for (const std::string_view other :
       {R"({"message":"a","node":"n"})", R"({"message":"a"} )", R"({"message":"a"}})",
        R"({"message": "a"})", R"({"node":"\u0041","message":"a"})", R"({"message":"\u0041"})",
        R"({"message":"a\/"})", R"({"message":"a\"})", R"({"ts":"1","ts":"2","message":"a"})",
        R"({"ts":"May 18","message":"a"})", R"({"seq":-1,"message":"a"})",
        "{\"message\":\"a\tb\"}"})
    CHECK_FALSE(shape(other));
  CHECK(has_odd_escape(R"(a \u0041)"));
  CHECK(has_odd_escape(R"(a \)"));
  CHECK_FALSE(has_odd_escape(R"(a \\u \" \n)"));
}

TEST_CASE("a line is not taken for one of a known head whose number it leaves out") {
  const auto line = [](std::string_view number) {
    return fmt::format(
        R"({{"ts":"2026-05-18T08:00:00Z","source":"app","node":"n1","seq":{},"message":"well"}})" "\n", number);
  };
  const Evidence some = read_filtered(json_input(line("1") + line("2") + line("") + line("3")));
  REQUIRE(some.problems.size() == 1);
  CHECK(some.problems[0].starts_with("in.json:3: not JSON"));
}

TEST_CASE("the last line of progress is found however many that are none come behind it") {
  const std::string filling(400, '.');
  for (const std::uint32_t lines : {10U, 1000U, 20000U}) {  // The last are more than wait at once.
    CAPTURE(lines);
    std::string text;
    for (std::uint32_t i = 0; i < lines; ++i)
      text += fmt::format(
          R"({{"ts":"2026-05-18T{:02}:{:02}:{:02}Z","source":"app","node":"n1","rank":{},"message":"step={}{} {}"}})"
          "\n",
          8 + i / 3600, i / 60 % 60, i % 60, i % 3, i < 6 ? "" : "?", i, filling);
    const Evidence some = read_filtered(json_input(text));
    CHECK(events_of(some) == events_of(must_read({json_input(text)})));
    CHECK(some.observations.size() == 6);  // The first and the last of each rank.
  }
}

TEST_CASE("strict reading passes nothing over") {
  WordFilter filter;
  ReadOptions options;
  options.filter = &filter;
  options.strict = true;
  const std::string text = log_of(3, {4, true, 7, false});
  CHECK(dump(must_read({json_input(text)}, options)) == dump(must_read({json_input(text)})));
}

}  // namespace
}  // namespace attrib::evidence
