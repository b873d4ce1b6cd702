#include "docgen/signals.h"

#include "docgen/testing.h"

namespace attrib::docgen {
namespace {

const std::string kPack = R"(pack small.host 1.0.0
language 1
event Fault on Node { code u16 }
extract fault from kernel as Fault { line "devices: fault {code}" sample "devices: fault 79" }
symptom host.fault on Node { code u16  role origin  domain host }
decode faults { on x: Fault  emit host.fault at x.node { code: x.code } }
)";

const std::string kHeader = "signal,grade,rules,left_out,source\n";

struct Read {
  using Texts = std::vector<std::pair<std::string, std::string>>;
  Rules rules{Texts{{"r/host.rules", kPack}}};
  Library library = rules.library();
  Signals signals;
  explicit Read(const Texts& files) : signals(read_signals(library, files)) {}
};

std::vector<std::string> problems(const std::string& row) {
  return Read(Read::Texts{{"signals/host.csv", kHeader + row}}).signals.problems;
}
using Lines = std::vector<std::string>;

TEST_CASE("a page lists signals by area, with links, reasons and totals by grade") {
  const Read read(Read::Texts{
      {"signals/net.csv", kHeader + "port_down,recall,,a switch says it,switch | OS\n"},
      {"signals/host.csv", kHeader + "fault,read,small.host.fault small.host.faults,,devices.c\n"
                                     "\n"
                                     "other,read,,\"never seen, so far\",devices.c\n"}});
  CHECK(read.signals.problems.empty());
  const std::string page = signals_page(read.library, read.signals);
  const std::string tail = page.substr(page.find("| grade | signals"));
  CHECK(tail == R"(| grade | signals | with rules | % | left out |
|---|---:|---:|---:|---:|
| read | 2 | 1 | 50.0 | 1 |
| recall | 1 | 0 | 0.0 | 1 |
| all | 3 | 1 | 33.3 | 2 |

## host

| signal | grade | read by | source |
|---|---|---|---|
| `fault` | read | [small.host.fault](packs/small.host.md#extract-fault), [small.host.faults](packs/small.host.md#decode-faults) | devices.c |
| `other` | read | left out: never seen, so far | devices.c |

## net

| signal | grade | read by | source |
|---|---|---|---|
| `port_down` | recall | left out: a switch says it | switch \| OS |
)");
}

TEST_CASE("a wrong row is told with its file and line, and left out") {
  CHECK(
      problems("fault,red,small.host.fault,,devices.c\n") ==
      Lines{"signals/host.csv:2: `red` is no grade; one of read, sample, derived, recall, memory"});
  CHECK(problems("fault,read,small.host.fualt,,devices.c\n") ==
        Lines{"signals/host.csv:2: no rule is called `small.host.fualt`; did you mean "
              "`small.host.fault`?"});
  CHECK(problems("fault,read,,,devices.c\n") ==
        Lines{"signals/host.csv:2: no rule reads it, and `left_out` does not say why"});
  CHECK(problems("fault,read,small.host.fault,why,devices.c\n") ==
        Lines{"signals/host.csv:2: rules read it, yet `left_out` says why none does"});
  CHECK(problems("fault,read,small.host.fault,,\n") ==
        Lines{"signals/host.csv:2: it has no source"});
  CHECK(problems("a fault,read,small.host.fault,,s\n") ==
        Lines{"signals/host.csv:2: a signal is named by one word"});
  const Read read(Read::Texts{{"signals/host.csv", kHeader + "a,read,,,s\nb,read,,why,s\n"}});
  REQUIRE(read.signals.areas.size() == 1);
  CHECK(read.signals.areas[0].signals.size() == 1);
}

TEST_CASE("a signal is listed once over all areas") {
  const Read read(
      Read::Texts{{"signals/a.csv", kHeader + "fault,read,,why,s\n"},
                  {"signals/b.csv", kHeader + "more,read,,why,s\nfault,read,,why,s\n"}});
  CHECK(read.signals.problems ==
        Lines{"signals/b.csv:3: signal `fault` is listed already, in signals/a.csv:2"});
}

TEST_CASE("a file that is no list of signals is refused at its line") {
  CHECK(Read(Read::Texts{{"signals/a.csv", "signal,grade,rules\nx,read,y\n"}}).signals.problems ==
        Lines{"signals/a.csv:1: the header is not `signal,grade,rules,left_out,source`"});
  const auto torn = problems("fault,read,small.host.fault,,s\nb,read\n");
  REQUIRE(torn.size() == 1);
  CHECK(torn[0].starts_with("signals/host.csv:3: "));
  CHECK(problems("\"fault,read,,,s\n")[0].starts_with("signals/host.csv:2: "));
}

TEST_CASE("the share of signals with rules is counted by grade, and never rounded up") {
  CHECK(SignalCount{9, 10}.at_least(90));
  CHECK_FALSE(SignalCount{899, 1000}.at_least(90));
  CHECK(SignalCount{}.at_least(90));
  const Read read(
      Read::Texts{{"signals/a.csv", kHeader + "x,read,small.host.fault,,s\ny,sample,,why,s\n"}});
  CHECK(count_signals(read.signals, SignalGrade::Read).with_rules == 1);
  CHECK(count_signals(read.signals, SignalGrade::Sample).total == 1);
  CHECK(count_signals(read.signals, SignalGrade::Sample).with_rules == 0);
}

}  // namespace
}  // namespace attrib::docgen
