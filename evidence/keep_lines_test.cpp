#include "evidence/keep_lines.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "evidence/line_count.h"
#include "evidence/test_evidence.h"

namespace attrib::evidence {
namespace {

// Wants the lines that hold a word; of progress the last, and of a block what goes with its head.
class WordFilter : public LineFilter {
 public:
  [[nodiscard]] std::unique_ptr<LineFilter> another() const override {
    return std::make_unique<WordFilter>();
  }
  void narrow(model::SourceMask) override {}
  void prepare() override {}
  void search(std::string_view block, std::vector<Hit>* hits) const override {
    hits->clear();
    for (std::uint32_t i = 0; i < words_.size(); ++i) {
      const auto& [word, why] = words_[i];
      for (std::size_t at = block.find(word); at != std::string_view::npos;
           at = block.find(word, at + 1))
        hits->push_back({at, i, why});
    }
    for (const std::string_view mark : line_marks()) {
      for (std::size_t at = block.find(mark); at != std::string_view::npos;
           at = block.find(mark, at + 1))
        hits->push_back({at, 0, kMark});
    }
    std::sort(hits->begin(), hits->end(),
              [](const Hit& a, const Hit& b) { return a.at < b.at; });
  }
  Answer confirms(std::string_view line, std::span<const Hit>) override {
    return line.find('\xE2') != std::string_view::npos ? Answer{kMark} : matches(line, nullptr);
  }
  Answer matches(std::string_view body, const Place* /*place*/) override {
    Answer out;
    for (std::uint32_t i = 0; i < words_.size(); ++i) {
      const bool alone = (words_[i].second & (kRead | kLatest)) != 0;
      if (!alone || body.find(words_[i].first) == std::string_view::npos) continue;
      out.why = static_cast<Reasons>(out.why | words_[i].second);
      out.sorts |= sorts_of(i);
    }
    return out;
  }
  bool says(std::string_view body, std::span<const Hit> hits, model::SourceMask speaks,
            std::string* said) override {
    const std::size_t at = body.find("ENTERED");
    const bool kernel = (speaks & model::source_bit(model::SourceKind::Kernel)) != 0;
    const bool alike = std::all_of(hits.begin(), hits.end(), [](const Hit& hit) { return (hit.why & kAlike) != 0; });
    if (at == std::string_view::npos || !alike || kernel) return false;
    *said = body.substr(at);
    return true;
  }
  [[nodiscard]] Sorts sorts_of(std::uint32_t text) const override {
    return text == 1 ? kProgress : text == 4 ? 2 : text == 5 ? 4 : 0;
  }
  [[nodiscard]] Sorts heard(Sorts sorts, model::SourceMask speaks) const override {
    const bool kernel = (speaks & model::source_bit(model::SourceKind::Kernel)) != 0;
    return kernel ? sorts : sorts & ~Sorts{4};
  }
  std::uint32_t note(std::string_view, const Place&) override { return 0; }
  std::optional<Counting> counting(std::string_view, const Place*, model::SourceMask) override {
    return std::nullopt;
  }
  void heads(std::string_view body, std::vector<std::uint32_t>* found) override {
    found->assign(body.find("BEGIN") != std::string_view::npos ? 1 : 0, 0);
  }
  Reasons goes_on(std::uint32_t, std::string_view body) override {
    return body.find("CAUSE") != std::string_view::npos ? kSecond : 0;
  }

 private:
  const std::vector<std::pair<std::string_view, Reasons>> words_ = {
      {"FAULT", kRead},
      {"step=", kLatest},
      {"BEGIN", kRead | kLeads},
      {"CAUSE", kSecond | kFollows},
      {"%|", kLatest},
      {"LINK", kLatest},  // Of the kernel's lines only.
      {"ENTERED", kRead | kAlike}};
};

// Hands out so many bytes at a time.
class Slow : public ByteSource {
 public:
  Slow(std::string_view text, std::size_t chunk) : from_(memory_source(text)), chunk_(chunk) {}
  Result<std::size_t> read(char* into, std::size_t most) override {
    return from_->read(into, std::min(most, chunk_));
  }

 private:
  std::unique_ptr<ByteSource> from_;
  std::size_t chunk_;
};

Input slow_input(const std::string& spec, const std::string& text, std::size_t chunk) {
  Input input = log_input(spec, "");
  input.open = [&text, chunk]() -> Result<std::unique_ptr<ByteSource>> {
    return std::unique_ptr<ByteSource>(std::make_unique<Slow>(text, chunk));
  };
  return input;
}

Evidence read_filtered(const std::string& spec, const std::string& text,
                       std::size_t chunk = 1U << 16U) {
  WordFilter filter;
  ReadOptions options;
  options.filter = &filter;
  return must_read({slow_input(spec, text, chunk)}, options);
}

std::string plain_lines(std::size_t bytes, int hour = 8) {
  std::string out;
  for (int i = 0; out.size() < bytes; ++i)
    out += fmt::format("2026-05-18T{:02}:{:02}:{:02}.000Z worker {} is well\n", hour + i / 3600,
                       i / 60 % 60, i % 60, i);
  return out;
}

// What rules would see of the lines that hold a word they look for.
std::map<std::string, std::string> wanted(const Evidence& e, std::string_view word,
                                          bool with_time = true) {
  std::map<std::string, std::string> out;
  for (const Observation& o : e.observations) {
    if (o.message.find(word) == std::string::npos) continue;
    out[o.ids.at(0)] =
        fmt::format("{} {} {} {}", o.node, o.rank.value_or(999), o.message, o.speaks);
    if (with_time)
      out[o.ids.at(0)] += fmt::format(" {}..{} {}", o.seen.lo, o.seen.hi, o.seen.known);
  }
  return out;
}

// A log of every framing, long enough that most of it is neither head nor tail.
std::string mixed_log(std::string_view rare = "FAULT here", std::uint32_t numbers = 1'000'000,
                      std::size_t bytes = 1'500'000) {
  std::string out;
  std::uint32_t state = 7;
  const auto random = [&state](std::uint32_t below) {
    state = state * 1664525U + 1013904223U;
    return (state >> 8U) % below;
  };
  for (std::uint32_t n = 0; out.size() < bytes; ++n) {
    const std::uint32_t i = n % numbers;
    const std::string at = fmt::format("2026-05-18T{:02}:{:02}:{:02}.{:03}Z", 8 + n / 3600 % 10,
                                       n / 60 % 60, n % 60, n % 1000);
    const std::string_view what = random(40) == 0 ? rare : "all is well";
    switch (random(12)) {
      case 0: out += fmt::format("{} {} {}", at, what, i); break;
      case 1: out += fmt::format("[rank{}]: {} {}", random(8), what, i); break;
      case 2: out += fmt::format("[rank{}]:[{}] {} {}", random(8), at, what, i); break;
      case 3: out += fmt::format("{}000Z stdout F {} {}", at.substr(0, 23), what, i); break;
      case 4:
        out += fmt::format("{}000Z stderr P {} \n{}000Z stderr F the rest {}", at.substr(0, 23),
                           what, at.substr(0, 23), i);
        break;
      case 5:
        out += fmt::format(R"({{"log":"{}\n","stream":"stdout","time":"{}"}})", what, at);
        break;
      case 6: out += fmt::format("\x1B[36mFA\x1B[0mULT split {}", i); break;
      case 7: out += fmt::format("caf\xC3\xA9 \xFF {} {}", what, i); break;
      case 8: out += fmt::format("{} {}\r", what, i); break;
      case 9: out += std::string("nul \0 in it ", 12) + std::string(what); break;
      case 10: break;  // An empty line.
      default: out += fmt::format("{}: {}", random(8), what); break;
    }
    if (random(900) == 0) out += std::string(150'000, 'x') + " FAULT at the end of a long line";
    out += '\n';
  }
  return out + "FAULT without a line end";
}

TEST_CASE("rules see the same of the lines they read, kept alone or with all others") {
  const std::string text = mixed_log();
  for (const char* spec : {"app=x", "k8s@n=x", "slurm=x", "app@rank3=x"}) {
    const Evidence all = must_read({log_input(spec, text)});
    const Evidence some = read_filtered(spec, text);
    CHECK(some.observations.size() < all.observations.size() / 2);
    CHECK(some.counters.lines == all.counters.lines);
    CHECK(some.counters.rejected == all.counters.rejected);
    // A stamp further away than the reader looks only widens the time.
    const auto of_all = wanted(all, "FAULT", false);
    CHECK(of_all.size() > 100);
    CHECK(wanted(some, "FAULT", false) == of_all);
  }
}

TEST_CASE("of lines that say the same the first of each stream is kept, in every framing") {
  const std::string text = mixed_log("ENTERED it", 3);
  // What streams say, and how many lines do.
  const auto said = [](const Evidence& e) {
    std::map<std::string, int> out;
    for (const Observation& o : e.observations) {
      const std::size_t at = o.message.find("ENTERED");
      if (at != std::string::npos)
        ++out[fmt::format("{} {} {} {}", o.node, o.rank.value_or(999), o.message.substr(at), o.speaks)];
    }
    return out;
  };
  for (const char* spec : {"app=x", "k8s@n=x", "slurm=x", "app@rank3=x"}) {
    const Evidence all = must_read({log_input(spec, text)});
    const Evidence some = read_filtered(spec, text);
    CHECK(some.counters.lines == all.counters.lines);
    const auto of_all = said(all), of_some = said(some);
    REQUIRE(of_all.size() > 6);
    REQUIRE(of_some.size() == of_all.size());
    int fewer = 0;  // Lines of containers and in other letters than ASCII are kept all.
    for (const auto& [line, times] : of_all) fewer += times - of_some.at(line);
    CHECK(fewer > 50);
  }
}

TEST_CASE("a line that says more than what was said before is kept") {
  const std::string begin = plain_lines(200'000), end = plain_lines(200'000, 10);
  const auto kept = [&](const std::string& lines) {
    return wanted(read_filtered("app=x", begin + lines + end), "ENTERED", false).size();
  };
  CHECK(kept("ENTERED a\nENTERED a\n") == 1);
  CHECK(kept("ENTERED a\nENTERED b\nENTERED a\nENTERED b\n") == 2);
  CHECK(kept("[rank1]: ENTERED a\n[rank2]: ENTERED a\nENTERED a\n") == 3);
  CHECK(kept("ENTERED a\nFAULT ENTERED a\n") == 2);
  CHECK(kept("ENTERED a\nNVRM: ENTERED a\nNVRM: ENTERED a\n") == 3);  // The kernel is another who speaks.
}

TEST_CASE("what is read does not depend on how the bytes arrive") {
  const std::string text = mixed_log().substr(0, 400'000);
  const std::string whole = dump(read_filtered("app=x", text));
  for (const std::size_t chunk : {1UL, 7UL, 4096UL, 131071UL}) {
    CHECK(dump(read_filtered("app=x", text, chunk)) == whole);
  }
}

TEST_CASE("what is read does not depend on how many threads search ahead") {
  constexpr std::size_t kLong = 8'000'000;  // So that others help.
  const std::string text = mixed_log("FAULT here", 1'000'000, kLong), other = mixed_log("ENTERED it", 3, kLong);
  const auto all = [&](std::size_t threads, std::size_t chunk) {
    WordFilter filter;
    ReadOptions options;
    options.filter = &filter;
    options.threads = threads;
    return dump(must_read({slow_input("k8s@n=x", text, chunk), slow_input("app=y", other, chunk)}, options)) +
           dump(must_read({slow_input("app=x", text, chunk)}, options));
  };
  const std::string one = all(1, 1U << 16U);
  for (const std::size_t threads : {2U, 3U, 40U}) CHECK(all(threads, 1U << 16U) == one);
  CHECK(all(4, 1000) == one);
}

// Fails behind the text.
class Torn : public ByteSource {
 public:
  explicit Torn(std::string_view text) : from_(memory_source(text)) {}
  Result<std::size_t> read(char* into, std::size_t most) override {
    ATTRIB_TRY(const std::size_t got, from_->read(into, most));
    if (got == 0) return Error{"x: torn"};
    return got;
  }

 private:
  std::unique_ptr<ByteSource> from_;
};

TEST_CASE("what is wrong in front of where a log cannot be read is told first, on any number of threads") {
  const std::string plain = plain_lines(5'000'000);
  const std::string late = plain_lines(300'000) + std::string(3 * kMaxObservationBytes, 'x') + "\n" + plain;
  const std::string soon = plain + std::string(3 * kMaxObservationBytes, 'x') + "\n" + plain_lines(1000);
  const auto problem = [](const std::string& text, std::size_t threads) {
    Input input = log_input("app=x", "");
    input.open = [&text]() -> Result<std::unique_ptr<ByteSource>> {
      return std::unique_ptr<ByteSource>(std::make_unique<Torn>(text));
    };
    WordFilter filter;
    ReadOptions options;
    options.filter = &filter;
    options.threads = threads;
    options.strict = true;
    const auto out = read({input}, options);
    REQUIRE_FALSE(out.ok());
    return out.error().message;
  };
  CHECK(problem(late, 1).find("expected at most") != std::string::npos);
  CHECK(problem(soon, 1) == "x: torn");
  for (const std::size_t threads : {2U, 5U}) {
    CHECK(problem(late, threads) == problem(late, 1));
    CHECK(problem(soon, threads) == problem(soon, 1));
  }
}

TEST_CASE("head and tail are kept whole, the middle where a rule may read it") {
  const std::string text = plain_lines(300'000) +
                           "2026-05-18T09:00:00.000Z FAULT\n" + plain_lines(300'000);
  const Evidence e = read_filtered("app@n=x", text);
  CHECK(wanted(e, "FAULT").size() == 1);
  std::size_t bytes = 0;
  for (const Observation& o : e.observations) bytes += o.message.size() + 1;
  CHECK(bytes > 2 * kAlwaysKept);
  CHECK(bytes < 2 * kAlwaysKept + 300);
  // So the log still covers all of its time.
  const Evidence all = must_read({log_input("app@n=x", text)});
  REQUIRE(e.sources.size() == 1);
  CHECK(e.sources[0].coverage == all.sources.at(0).coverage);
}

TEST_CASE("a line without a stamp takes its time from lines that are not kept") {
  std::string text = plain_lines(200'000);
  text += "2026-05-18T09:00:01.000Z before\nFAULT\nmore\n2026-05-18T09:00:05.000Z after\n";
  text += plain_lines(200'000);
  const Evidence all = must_read({log_input("app@n=x", text)});
  const Evidence some = read_filtered("app@n=x", text);
  CHECK(wanted(some, "FAULT") == wanted(all, "FAULT"));
  const auto fault = std::find_if(some.observations.begin(), some.observations.end(),
                                  [](const Observation& o) { return o.message == "FAULT"; });
  REQUIRE(fault != some.observations.end());
  CHECK(fault->seen.hi - fault->seen.lo < 6 * model::kSecond);
}

TEST_CASE("times are the same for lines kept alone, where stamps are near") {
  // Stamps are so far apart, and what is kept so far: of ranks' lines often or rarely.
  const std::vector<std::pair<int, int>> shapes = {{2, 37}, {5, 37}, {60, 37}, {7, 35}, {7, 1385}, {60, 1385}, {1200, 1385}};
  for (const auto& [every, apart] : shapes) {
    std::string text = plain_lines(100'000);
    for (int i = 0; text.size() < 500'000; ++i) {
      const int second = 3600 + i;
      const std::string at = fmt::format("2026-05-18T{:02}:{:02}:{:02}.000Z", 8 + second / 3600,
                                         second / 60 % 60, second % 60);
      const char* what = i % apart == 0 ? "FAULT" : "well";
      text += i % every == 0    ? fmt::format("{} {} {}\n", at, what, i)
              : i % every == 1  ? fmt::format("[rank{}]: {} {} {}\n", i % 3, at, what, i)
              : i % 5 == 0      ? fmt::format("[rank{}]: {} {}\n", i % 3, what, i)
              : i % 4001 == 0   ? std::string(9'000, 'x') + "\n"
                                : fmt::format("{} {}\n", what, i);
    }
    text += plain_lines(100'000, 15);
    const Evidence all = must_read({log_input("app@n=x", text)});
    const Evidence some = read_filtered("app@n=x", text);
    CHECK(some.observations.size() < all.observations.size() * 2 / 3);
    CHECK(wanted(some, "FAULT").size() > 5);
    CHECK(wanted(some, "FAULT") == wanted(all, "FAULT"));
  }
}

TEST_CASE("of progress the last line of each rank is kept") {
  std::string text = plain_lines(100'000);
  for (int i = 0; i < 9000; ++i)
    text += fmt::format("[rank{}]: 2026-05-18T09:{:02}:{:02}.000Z step={}\n", i % 4, i / 60 % 60,
                        i % 60, i);
  text += plain_lines(100'000);
  const Evidence e = read_filtered("app=x", text);
  std::set<std::uint32_t> ranks;
  for (const Observation& o : e.observations) {
    if (o.message.find("step=") == std::string::npos) continue;
    CHECK(o.message.find(fmt::format("step={}", 8996 + *o.rank)) != std::string::npos);
    ranks.insert(*o.rank);
  }
  CHECK(ranks == std::set<std::uint32_t>{0, 1, 2, 3});
}

// The last line of each stream among those that hold `word`: its message, by node and rank.
std::map<std::string, std::string> last_ones(const Evidence& e, std::string_view word,
                                             model::SourceMask from) {
  std::map<std::string, std::string> out;
  for (const Observation& o : e.observations) {
    if ((o.speaks & from) == 0 || o.message.find(word) == std::string::npos) continue;
    out[fmt::format("{} {}", o.node, o.rank.value_or(999))] =
        fmt::format("{} {} {}..{}", o.ids.at(0), o.message, o.seen.lo, o.seen.hi);
  }
  return out;
}

std::size_t count_of(const Evidence& e, std::string_view word) {
  return static_cast<std::size_t>(
      std::count_if(e.observations.begin(), e.observations.end(), [&](const Observation& o) {
        return o.message.find(word) != std::string::npos;
      }));
}

TEST_CASE("of each sort of lines the last of each stream is kept, whatever frames it has") {
  std::uint32_t state = 11;
  const auto random = [&state](std::uint32_t below) {
    state = state * 1664525U + 1013904223U;
    return (state >> 8U) % below;
  };
  constexpr std::array<std::string_view, 6> kBodies = {
      "step=", " %| of", "loading %| at step=", "kernel: LINK", "LINK", "\xE2\x96\x88 %| bar"};
  const auto kernel = model::source_bit(model::SourceKind::Kernel);
  const auto any = static_cast<model::SourceMask>(~0U);
  for (const char* spec : {"app=x", "app@n=x", "syslog=x", "slurm=x", "k8s@n=x"}) {
    std::string text = plain_lines(70'000);
    const std::size_t from = text.size();
    for (std::uint32_t i = 0; text.size() < 700'000; ++i) {
      // In the last part some streams say nothing, or not of all sorts.
      const std::uint32_t streams = text.size() < 300'000 ? 7 : 3;
      const std::uint32_t stream = random(streams);
      const std::string body = random(9) > 0
                                   ? fmt::format("all is well {}", i)
                                   : fmt::format("{} {}", kBodies[random(6)], i);
      const std::string at = fmt::format("2026-05-18T{:02}:{:02}:{:02}.{:03}", 9 + i / 3600,
                                         i / 60 % 60, i % 60, i % 1000);
      switch (stream) {
        case 0: text += fmt::format("{}Z {}\n", at, body); break;
        case 1: text += fmt::format("[rank1]: {}\n", body); break;
        case 2: text += fmt::format("{}000+00:00 host-{} {}\n", at, random(3), body); break;
        case 3: text += fmt::format("[rank{}]: {}\n", random(4), body); break;
        case 4: text += fmt::format("(Worker pid=1) [rank{}]: {}\n", random(3), body); break;
        case 5: text += fmt::format("{}000Z stdout F {}\n", at, body); break;
        default:
          text += fmt::format("{0}000Z stderr P {1}\n{0}000Z stderr F  %| joined\n", at, body);
      }
    }
    REQUIRE(from > kAlwaysKept);
    text += plain_lines(100'000, 15);
    const Evidence all = must_read({log_input(spec, text)});
    const Evidence some = read_filtered(spec, text);
    CAPTURE(spec);
    CHECK(last_ones(some, "%|", any) == last_ones(all, "%|", any));
    CHECK(last_ones(some, "LINK", kernel) == last_ones(all, "LINK", kernel));
    CHECK(last_ones(all, "%|", any).size() > 1);
    CHECK(count_of(all, "%|") > 500);
    CHECK(count_of(some, "%|") < 60);
    CHECK(count_of(some, "step=") < 60);
    CHECK(some.counters.lines == all.counters.lines);
    CHECK(dump(read_filtered(spec, text, 4099)) == dump(some));
  }
}

TEST_CASE("the lines between a head and what follows it are kept, of its stream only") {
  std::string text = plain_lines(100'000);
  text += "[rank1]: BEGIN\n[rank2]: other\n[rank1]: between\n[rank1]: step=7\n[rank1]: CAUSE\n";
  text += "[rank1]: behind\n";
  text += plain_lines(100'000) + "[rank1]: BEGIN alone\n" + plain_lines(200'000);
  const Evidence e = read_filtered("app=x", text);
  CHECK(wanted(e, "between").size() == 1);
  CHECK(wanted(e, "step=7").size() == 1);
  CHECK(e.counters.copies == 0);
  CHECK(wanted(e, "CAUSE").size() == 1);
  CHECK(wanted(e, "BEGIN").size() == 2);
  CHECK(wanted(e, "other").empty());
  CHECK(wanted(e, "behind").empty());
}

TEST_CASE("what follows a head is looked for within its reach") {
  const auto kept_with_gap = [](std::size_t gap) {
    const std::string text = plain_lines(100'000) + "[rank1]: BEGIN\n" + plain_lines(gap) +
                             "[rank1]: CAUSE\n" + plain_lines(200'000);
    return wanted(read_filtered("app=x", text), "CAUSE").size();
  };
  CHECK(kept_with_gap(kNextReach - 200) == 1);
  CHECK(kept_with_gap(kNextReach + 200) == 0);
}

TEST_CASE("a line of lost lines is kept and cuts the coverage just where it stands") {
  std::string text = plain_lines(200'000);
  text += "2026-05-18T10:00:01.000Z before\n";
  text += "2026-05-18T10:00:05.000Z kernel: printk: 12 messages suppressed\n";
  text += "2026-05-18T10:30:05.000Z after\n" + plain_lines(200'000, 11);
  const Evidence all = must_read({log_input("kernel@n=x", text)});
  const Evidence some = read_filtered("kernel@n=x", text);
  REQUIRE(some.sources.size() == 1);
  CHECK(some.sources[0].coverage == all.sources.at(0).coverage);
  CHECK(wanted(some, "suppressed") == wanted(all, "suppressed"));
}

TEST_CASE("line ends, empty lines and escapes are counted alike in all lengths") {
  std::string text;
  for (int i = 0; i < 400; ++i) {
    text += i % 7 == 0 ? "\n" : i % 11 == 0 ? "\r\n" : i % 13 == 0 ? "\r\r\n" : "line\n";
    const LineCounts counts = count_lines(text);
    std::uint64_t ends = 0, filled = 0;
    for (std::size_t at = 0; at < text.size(); ++ends) {
      const std::size_t end = text.find('\n', at);
      std::string_view line = std::string_view(text).substr(at, end - at);
      if (line.ends_with('\r')) line.remove_suffix(1);
      filled += line.empty() ? 0 : 1;
      at = end + 1;
    }
    CHECK(counts.line_ends == ends);
    CHECK(count_line_ends(text) == ends);
    CHECK(counts.filled == filled);
    CHECK_FALSE(counts.has_escape);
  }
  std::string large;
  for (std::uint64_t times = 1; times <= 40; ++times) {
    large += text;
    CHECK(count_lines(large).line_ends == times * 400);
    CHECK(count_lines(large).filled == times * count_lines(text).filled);
    CHECK(count_line_ends(large) == times * 400);
  }
  CHECK(count_lines(text + "\x1B[0m").has_escape);
  CHECK(count_lines(text + "rest").filled == count_lines(text).filled + 1);
}

}  // namespace
}  // namespace attrib::evidence
