// One small pack that has everything, and the page it becomes.

#include "docgen/pack_page.h"

#include "docgen/testing.h"

namespace attrib::docgen {
namespace {

const std::string kHost = R"(# What a host says of its devices. More of it here,
# over two lines.
#
# Words that matter:
#   bad   it ends its rank
#   slow  it does not
pack small.host 1.2.0
language 1

event Fault on Node { code u16 }
extract fault from kernel, syslog as Fault {
  line   "devices: fault {code}"
  line   "devices: broken, code {code}"
  sample "devices: fault 79" gives { code: 79 }
  sample "devices: broken, code 80"
  reject "devices: faulty 79"
  references "https://example.org/devices.c"
}
extract counted from metric as Fault {
  where  name == "FAULTS" and value > 0
  set    code = 1
  sample { name: "FAULTS", value: 2 }
}
symptom host.fault on Node {
  code u16
  role origin  domain host  severity critical  title "A device_ failed"  owner "host-oncall"
  action "Replace it."  retry other_nodes  tags [bad]  references "https://example.org/devices"
}
table words (code u16) -> (role (origin | note)) {
  match first
  | 79..80 => origin
  default => note
}
decode faults {
  on     x: Fault where x.code > 10
  lookup words[x.code] as row
  when   row.role == origin
  emit   host.fault at x.node { code: x.code } role row.role
  confidence certain
}
)";

const std::string kApp = R"(# What waits.
pack small.app 1.0.0
language 1
use small.host

event Timeout on Rank { seq u64  coll Collective }
extract timeout from app as Timeout {
  line   "collective {seq} timed out" next "giving up: {_}" within 3 lines
  set    coll = collective("world", seq)
  sample "collective 42 timed out" next "giving up: peer"
}
symptom app.timeout on Rank { coll Collective  role victim  domain application  title "A rank waited" }
symptom app.missing on Rank { coll Collective  role relay  domain application }
symptom job.ended on Attempt { word word?  role end }
decode timeouts { on t: Timeout  emit app.timeout at t.rank { coll: t.coll } }
decode ended { on j: JobState where has j.state  emit job.ended at attempt { word: j.state } }
infer missing {
  each    w: app.timeout
  each    r: Rank in w.coll.ranks where r != w.rank
  absent  n: app.timeout where n.rank == r during w.begin - 5m .. w.seen covered by app of r
  emit    app.missing at r { coll: w.coll }
  unknown emit app.missing at r { coll: w.coll }
  confidence hint
}
demote behind_faults {
  param   slack = 10s
  cause   c: host.fault
  effect  e: app.timeout | app.missing
  where   e.node == c.node
  within  -slack..1m from c.begin to e.begin
  because "a host *without* its device ends no collective"
  references "https://example.org/why", "the manual, page 3"
}
demote behind_anything_bad {
  cause   c: any where c.tags has bad
  effect  e: any where e.role == end
  within  0s..1m from c.begin to e.begin
  because "it ended"
  of job
}
outcome failed { on j: job.ended where has j.word and j.word == "FAILED"  gives failed  rank 10 }
ambiguous two {
  among   a, b: root of job
  when    tied(a, b) and not related(a, b)
  verdict undecided
  report  "{a} or {b}"
  ask     "Look at {a.node}."
}
)";

TEST_CASE("a page says what its pack reads, says and explains") {
  const Rules rules({{"r/host.rules", kHost}, {"r/app.rules", kApp}});
  const Library library = rules.library();
  CHECK(pack_page(library, "small.host") == R"(# small.host

Generated from the rules. Do not edit: `tools/docs.sh` writes it anew.

Version 1.2.0: 1 symptom, 2 extracts, 1 decode and infer rule, 0 demote rules.

`r/host.rules`:

What a host says of its devices. More of it here, over two lines.

Words that matter:

```text
bad   it ends its rank
slow  it does not
```

## Symptoms

### host.fault

A device\_ failed

* role: origin; domain host; critical; on Node, and accuses it
* owner: host-oncall
* action: Replace it.
* retry: other_nodes
* tags: bad
* raised by: [faults](#decode-faults)
* explained by: 1 general rule of [small.app](small.app.md#demote-rules)
* explains others by: [behind_faults](small.app.md#demote-behind_faults), 1 general rule of
  [small.app](small.app.md#demote-rules)
* references: <https://example.org/devices>

## Decode rules

### decode faults

* on: `x: Fault where x.code > 10`
* read by: [counted](#extract-counted), [fault](#extract-fault)
* looks up: `words[x.code]` as `row`
* when: `row.role == origin`
* raises: [host.fault](#hostfault) at `x.node`, with role `row.role`
* confidence: certain

## Extracts

### extract counted

From metric, as `Fault`.

```text
{ name: "FAULTS", value: 2 }
```

### extract fault

From kernel, syslog, as `Fault`; 2 forms.

```text
devices: fault 79
devices: broken, code 80
```

* references: <https://example.org/devices.c>

## Tables

### table words

`code` to `role`: 1 row.
)");
  const std::string app = pack_page(library, "small.app");
  CHECK(app.find(R"(### infer missing

* each: `w: app.timeout`
* each: `r: Rank in w.coll.ranks where r != w.rank`
* absent: `n: app.timeout where n.rank == r` during `w.begin - 5m .. w.seen`, covered by app of `r`
* raises: [app.missing](#appmissing) at `r`
* raises if unknown: [app.missing](#appmissing) at `r`
* confidence: hint
)") != std::string::npos);
  CHECK(app.find(R"(### demote behind_anything_bad

* because: it ended
* cause: `c` any symptom, if `c.tags has bad`
* effect: `e` any symptom, if `e.role == end`
* within: `0s` .. `1m` from `c.begin` to `e.begin`, in any attempt of the job

### demote behind_faults

* because: a host \*without\* its device ends no collective
* cause: `c` [host.fault](small.host.md#hostfault)
* effect: `e` [app.timeout](#apptimeout) or [app.missing](#appmissing), if `e.node == c.node`
* within: `-slack` .. `1m` from `c.begin` to `e.begin`
* parameter: `slack = 10s`
* references: <https://example.org/why>, the manual, page 3
)") != std::string::npos);
  CHECK(app.find(R"(### outcome failed

* on: `j` [job.ended](#jobended), if `has j.word and j.word == "FAILED"`
* gives: failed, rank 10
)") != std::string::npos);
  CHECK(app.find("* asks: Look at {a.node}.\n") != std::string::npos);
  CHECK(app.find("collective 42 timed out\ngiving up: peer\n") != std::string::npos);
  CHECK(app.find("* role: end; error; on Attempt\n") != std::string::npos);
}

TEST_CASE("the index has a line a pack and the sums") {
  const Rules rules({{"r/host.rules", kHost}, {"r/app.rules", kApp}});
  const std::string index = packs_index(rules.library());
  CHECK(index.find(
            "| [small.app](small.app.md) | What waits. | 3 | 1 | 3 | 2 |\n"
            "| [small.host](small.host.md) | What a host says of its devices. | 1 | 2 | 1 | 0 |\n"
            "| 2 packs | | 4 | 3 | 4 | 2 |\n") != std::string::npos);
}

TEST_CASE("pages do not depend on the order of files, and tests are on none") {
  const std::string tests = "pack small.app 1.0.0\nlanguage 1\n";
  const Rules one({{"r/host.rules", kHost}, {"r/app.rules", kApp}, {"r/app_test.rules", tests}});
  const Rules two({{"r/app.rules", kApp}, {"r/host.rules", kHost}});
  CHECK(pack_page(one.library(), "small.app") == pack_page(two.library(), "small.app"));
}

TEST_CASE("a rule is found by its full name under each of its kinds") {
  const Rules rules({{"r/host.rules", kHost}, {"r/app.rules", kApp}});
  const Library library = rules.library();
  CHECK(library.find("small.app.missing").size() == 1);
  CHECK(library.find("small.app.missing")[0].second == "infer missing");
  CHECK(library.find("small.host.missing").empty());
  CHECK(library.find("missing").empty());
}

}  // namespace
}  // namespace attrib::docgen
