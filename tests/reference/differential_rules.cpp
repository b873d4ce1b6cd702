#include "tests/reference/differential_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "model/type.h"

namespace attrib::differential {
namespace {

using Strings = std::vector<std::string>;

// --- Types of fields, and texts that such a hole reads ---

struct Field {
  std::string name, type;
  bool optional = false;
};
using Fields = std::vector<Field>;

bool is_entity(const std::string& type) { return type[0] >= 'A' && type[0] <= 'Z'; }
bool is_int(const std::string& type) {
  return type == "u16" || type == "i32" || type == "u64" || type == "bits32" || type == "hex";
}
bool is_text(const std::string& type) {
  return type == "word" || type == "token" || type == "text";
}
bool is_duration(const std::string& type) {
  return type == "ms" || type == "duration" || type == "sec" || type == "hms";
}

const Fields& field_pool() {
  static const Fields kPool = {
      {"code", "u16"},       {"num", "i32"},   {"big", "u64"},         {"bits", "bits32"},
      {"hexa", "hex"},       {"name", "word"}, {"tok", "token"},       {"txt", "text"},
      {"lvl", "(Lo | Hi)"},  {"flag", "bool"}, {"dur", "ms"},          {"len", "duration"},
      {"lag", "sec"},        {"clk", "hms"},   {"dec1", "dec"},        {"gpu", "Gpu"},
      {"peer", "Rank"},      {"host", "Node"}, {"coll", "Collective"}, {"comm", "Communicator"},
      {"nic", "Nic"},        {"mnt", "Mount"}, {"addr", "Path"},       {"lnk", "Link"},
      {"port", "SwitchPort"}};
  return kPool;
}

std::string instance_of(const std::string& type, Random& r) {
  if (type == "u16") return r.word({"0", "1", "2", "3", "149", "99999"});
  if (type == "u8") return fmt::format("{}", r.below(10));
  if (type == "i32") return r.word({"-3", "-1", "0", "+2", "7"});
  if (type == "u64") return r.word({"1", "2", "42", "18446744073709551615"});
  if (type == "bits32") return r.word({"0x00000001", "0x0000000f", "0x004505c6", "0xF0"});
  if (type == "hex") return r.word({"1f", "0x2", "ff"});
  if (type == "word") return r.word({"a1", "b2", "c3", "n0"});
  if (type == "token") return r.word({"t/1", "x:2", "y,z"});
  if (type == "text") return r.word({"some text", "a, b", "x"});
  if (type == "(Lo | Hi)") return r.word({"Lo", "Hi"});
  if (type == "bool") return r.word({"true", "false", "yes", "no"});
  if (type == "ms") return r.word({"1500", "250.5", "60000", "600028"});
  if (type == "sec") return r.word({"2", "0.5", "30"});
  if (type == "duration") return r.word({"30s", "2m", "1.5h", "10ms"});
  if (type == "hms") return r.word({"00:30", "01:02:03", "1-00:00:01"});
  if (type == "dec") return r.word({"1.5", "-2", "3e1", "0.000001"});
  if (type == "Gpu") return r.word({"0000:04:00", "04:00.0", "0000:05:00", "00000000:06:00.0"});
  if (type == "Rank") return r.word({"0", "1", "2", "3", "07", "12"});
  if (type == "Node") return r.word({"n0", "n1", "n2", "m1", "n9"});
  if (type == "Collective") return r.word({"c0/1", "c0/2", "c1/1", "odd"});
  if (type == "Communicator") return r.word({"c0", "c1"});
  if (type == "Nic") return r.word({"mlx5_0", "mlx5_1"});
  if (type == "Mount") return r.word({"/scratch", "/home"});
  if (type == "Path") return r.word({"10.0.0.1", "10.0.0.2"});
  if (type == "Link") return r.word({"0000:04:00/3", "0000:05:00/1", "l7"});
  if (type == "SwitchPort") return r.word({"sw1/p1", "sw1/p2", "sw2"});
  return "x";
}

// A constant of that type as a rule writes it.
std::string constant_of(const std::string& type, Random& r) {
  if (is_int(type))
    return type == "i32" ? r.word({"-1", "0", "2", "7"}) : r.word({"0", "1", "2", "149", "0xf"});
  if (is_text(type)) return r.word({"\"a1\"", "\"b2\"", "\"x\"", "\"n0\""});
  if (type == "(Lo | Hi)") return r.word({"Lo", "Hi"});
  if (type == "bool") return r.word({"true", "false"});
  if (is_duration(type)) return r.word({"0s", "1500ms", "30s", "2m", "1h"});
  if (type == "dec") return r.word({"1.5", "0", "-2", "95%"});
  return "\"x\"";
}

std::string operator_for(const std::string& type, Random& r) {
  if (type == "bool" || is_entity(type)) return r.word({"==", "!="});
  return r.word({"==", "==", "!=", "<", "<=", ">", ">="});
}

// --- Lines ---

// A piece of a line: text, or a hole; an optional group holds pieces of its own.
struct Piece {
  enum class Kind { Text, Blank, Hole, Skip, Gap, Rest, Group } kind = Kind::Text;
  std::string text;  // Text; Hole: what stands in the braces
  std::string type;  // Hole, Skip
  std::vector<Piece> inner;
};
using Shape = std::vector<Piece>;

std::string as_template(const Shape& shape) {
  std::string out;
  for (const Piece& p : shape) {
    switch (p.kind) {
      case Piece::Kind::Text:
        out += p.text;
        break;
      case Piece::Kind::Blank:
        out += "  ";
        break;
      case Piece::Kind::Hole:
        out += "{" + p.text + "}";
        break;
      case Piece::Kind::Skip:
        out += p.type == "word" ? "{_}" : "{_:" + p.type + "}";
        break;
      case Piece::Kind::Gap:
        out += "{..}";
        break;
      case Piece::Kind::Rest:
        out += "{...}";
        break;
      case Piece::Kind::Group:
        out += "{?" + as_template(p.inner) + "?}";
        break;
    }
  }
  return out;
}

std::string as_line(const Shape& shape, Random& r) {
  std::string out;
  for (const Piece& p : shape) {
    switch (p.kind) {
      case Piece::Kind::Text: {
        std::string text = p.text;
        for (const std::string brace : {"{{", "}}"}) {
          if (const auto at = text.find(brace); at != std::string::npos) text.erase(at, 1);
        }
        out += text;
        break;
      }
      case Piece::Kind::Blank:
        out += r.word({" ", "  ", "\t ", "   "});
        break;
      case Piece::Kind::Hole:
      case Piece::Kind::Skip:
        out += instance_of(p.type, r);
        break;
      case Piece::Kind::Gap:
        out += r.word({"", " stuff", " k=1 k=2"});
        break;
      case Piece::Kind::Rest:
        out += r.word({"", " and so on", ", more: 7"});
        break;
      case Piece::Kind::Group:
        if (r.chance(60)) out += as_line(p.inner, r);
        break;
    }
  }
  return out;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\t') {
      out += "\\t";
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + "\"";
}

std::string json_text(const std::string& text) { return quoted(text); }

// --- The generator ---

struct Event {
  std::string name, on;
  Fields fields;
  bool progress = false;
};
struct Symptom {
  std::string name;
  Strings on;
  Fields fields;
  std::string role;
  std::size_t layer = 0;  // 0: decoded; else inferred by rules that read lower layers.
  bool by_outcome = false;
};
struct Table {
  std::string name;
  Fields keys, results;  // A key type may be ternary32.
};
// What conditions can speak about.
struct Variable {
  std::string name;
  bool event = false, any = false;
  Strings on;
  Fields fields;
};
using Variables = std::vector<Variable>;

class Generator {
 public:
  explicit Generator(Random& random) : r_(random) {}

  RuleSet run() {
    calm_ = r_.chance(35);
    const std::size_t events = 2 + r_.below(3);
    for (std::size_t i = 0; i < events; ++i) event(i);
    const std::size_t tables = 1 + r_.below(2);
    for (std::size_t i = 0; i < tables; ++i) table(i);
    if (r_.chance(50)) let();
    const std::size_t symptoms = 4 + r_.below(4);
    for (std::size_t i = 0; i < symptoms; ++i) symptom(i);
    for (const Event& e : events_) extracts(e);
    if (r_.chance(60)) learn();
    for (const Symptom& s : symptoms_) makers(s);
    const std::size_t demotes = 1 + r_.below(8);
    for (std::size_t i = 0; i < demotes; ++i) demote(i);
    const std::size_t outcomes = r_.below(4);
    for (std::size_t i = 0; i < outcomes; ++i) outcome(i);
    if (r_.chance(60)) ambiguous();
    return std::move(out_);
  }

 private:
  void add(std::string text) { out_.declarations.push_back(std::move(text)); }

  Fields some_fields(std::size_t most, bool no_text_first) {
    Fields out;
    const std::size_t n = r_.below(most + 1);
    for (std::size_t i = 0; i < n; ++i) {
      // Fields that tables, conditions and entities have most use for come more often.
      const std::size_t which = r_.below(100);
      const std::string name = which < 35   ? r_.word({"code", "name", "bits", "num"})
                               : which < 60 ? r_.word({"gpu", "peer", "host", "coll"})
                                            : "";
      Field f = r_.pick(field_pool());
      for (const Field& each : field_pool()) {
        if (each.name == name) f = each;
      }
      if (std::any_of(out.begin(), out.end(), [&](const Field& g) { return g.name == f.name; }))
        continue;
      f.optional = r_.chance(40);
      out.push_back(f);
    }
    static_cast<void>(no_text_first);
    return out;
  }

  static std::string field_list(const Fields& fields) {
    std::string out;
    for (const Field& f : fields)
      out += fmt::format("  {} {}{}\n", f.name, f.type, f.optional ? "?" : "");
    return out;
  }

  std::string entity_kind() {
    return r_.word({"Node", "Node", "Rank", "Rank", "Gpu", "Gpu", "Attempt", "Link", "Nic", "Mount",
                    "Path", "SwitchPort", "Collective"});
  }

  void event(std::size_t i) {
    Event e;
    e.name = fmt::format("Ev{}", static_cast<char>('A' + i));
    e.on = entity_kind();
    e.fields = some_fields(5, false);
    e.progress = r_.chance(10);
    add(fmt::format("event {} on {} {{\n{}{}}}", e.name, e.on, field_list(e.fields),
                    e.progress ? "  progress\n" : ""));
    events_.push_back(e);
  }

  // --- Tables ---

  std::string key_cell(const std::string& type, std::size_t row, bool last) {
    if (type == "ternary32") {
      return row % 2 == 0
                 ? "0x0000000f/0x0000000" + fmt::format("{:x}", row % 16)
                 : std::string("----------------------------") + (row % 4 == 1 ? "1---" : "0-1-");
    }
    if (is_int(type)) {
      switch (r_.below(4)) {
        case 0:
          return fmt::format("{}", row);
        case 1:
          return fmt::format("{{{}, {}}}", row, row + 100);
        case 2:
          return fmt::format("{}..{}", 50 + row * 2, 51 + row * 2);
        default:
          return last && r_.chance(60) ? "*" : fmt::format("{}", 149 + row);
      }
    }
    if (last && row > 0) return "*";
    return row == 0 ? r_.word({"a1", "{a1, c3}"}) : fmt::format("w{}", row);
  }

  void table(std::size_t i) {
    Table t;
    t.name = fmt::format("tab_{}", i);
    const std::size_t keys = 1 + r_.below(2);
    for (std::size_t k = 0; k < keys; ++k) {
      t.keys.push_back({fmt::format("k{}", k), r_.word({"u16", "word", "ternary32", "i32"})});
    }
    t.results = {{"res", "word", r_.chance(50)},
                 {"num", "i32", r_.chance(50)},
                 {"role", "(origin | victim | relay)"},
                 {"dom", "(gpu | host | nvlink)", r_.chance(50)},
                 {"act", "text", true}};
    const bool unique = keys == 1 && r_.chance(50);
    std::string rows;
    const std::size_t n = 1 + r_.below(4);
    for (std::size_t row = 0; row < n; ++row) {
      rows += "  |";
      for (const Field& key : t.keys) {
        // Rows of a unique table differ in the value they accept.
        const bool plain = unique && key.type != "ternary32";
        const std::string word(1, static_cast<char>('p' + row));
        rows += fmt::format(" {} |", plain    ? (is_int(key.type) ? fmt::format("{}", row)
                                                 : row == 0       ? "a1"
                                                                  : word)
                                     : unique ? fmt::format("0x0000000f/0x0000000{:x}", row)
                                              : key_cell(key.type, row, row + 1 == n));
      }
      rows.back() = '=';
      rows += ">" + results(t) + "\n";
    }
    add(fmt::format("table {} ({}) -> ({}) {{\n  match {}\n{}  default =>{}\n}}", t.name,
                    columns(t.keys), columns(t.results), unique ? "unique" : "first", rows,
                    results(t)));
    tables_.push_back(t);
  }

  static std::string columns(const Fields& fields) {
    std::string out;
    for (const Field& f : fields)
      out +=
          fmt::format("{}{} {}{}", out.empty() ? "" : ", ", f.name, f.type, f.optional ? "?" : "");
    return out;
  }

  std::string results(const Table& t) {
    std::string out;
    for (const Field& f : t.results) {
      std::string cell;
      if (!f.optional || r_.chance(70)) {
        cell = f.name == "res"    ? r_.word({"rx", "ry", "rz"})
               : f.name == "num"  ? r_.word({"-1", "0", "2"})
               : f.name == "role" ? r_.word({"origin", "victim", "relay"})
               : f.name == "dom"  ? r_.word({"gpu", "host", "nvlink"})
                                  : r_.word({"\"do it\"", "\"wait\""});
      }
      out += (out.empty() ? " " : " | ") + cell;
    }
    return out;
  }

  void let() {
    lets_ = true;
    add(fmt::format("let odd_code(c: u16) = c in [{}, {}] or c {} {}", r_.below(4), 149,
                    r_.word({"<", ">=", "=="}), r_.below(4)));
  }

  // --- Symptoms ---

  void symptom(std::size_t i) {
    Symptom s;
    s.name = fmt::format("{}.s{}", r_.word({"aa", "bb"}), i);
    s.on = {entity_kind()};
    if (r_.chance(20)) {
      const std::string other = entity_kind();
      if (other != s.on[0]) s.on.push_back(other);
    }
    s.fields = some_fields(3, false);
    s.role = calm_ ? r_.word({"origin", "origin", "relay", "end", "note"})
                   : r_.word({"origin", "origin", "victim", "victim", "relay", "end", "note"});
    s.layer = i < 2 ? 0 : r_.chance(50) ? 0 : 1 + r_.below(2);
    if (s.role == "end" && r_.chance(50)) s.by_outcome = true;
    std::string text = fmt::format("symptom {} on {} {{\n{}  role {}\n", s.name,
                                   fmt::join(s.on, " | "), field_list(s.fields), s.role);
    text += fmt::format("  domain {}\n",
                        r_.word({"gpu", "gpu", "nvlink", "host", "application", "storage"}));
    if (r_.chance(40)) text += fmt::format("  title \"Title of {}\"\n", i);
    if (r_.chance(30)) text += fmt::format("  blame {}\n", r_.word({"self", "none"}));
    if (r_.chance(40) && !s.fields.empty())
      text += fmt::format("  key {}\n", r_.pick(s.fields).name);
    if (r_.chance(50)) text += fmt::format("  quiet {}\n", r_.word({"1s", "1s", "30s", "10m"}));
    if (r_.chance(30))
      text += fmt::format("  severity {}\n", r_.word({"info", "warning", "critical"}));
    if (r_.chance(30)) text += "  owner \"on-call\"\n  action \"look at it\"\n";
    if (r_.chance(60))
      text += fmt::format("  retry {}\n", r_.word({"same_nodes", "other_nodes", "after_fix"}));
    if (r_.chance(40)) {
      const std::string tags = r_.word({"hot", "hot, cold", "cold"});
      hot_ = hot_ || tags != "cold";
      text += fmt::format("  tags [{}]\n", tags);
    }
    if (r_.chance(30)) text += "  locates\n";
    add(text + "}");
    symptoms_.push_back(s);
  }

  // --- Extracts ---

  void extracts(const Event& e) {
    const std::size_t n = 1 + (r_.chance(30) ? 1 : 0);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t kind = r_.below(100);
      const bool scalar = std::all_of(e.fields.begin(), e.fields.end(), [](const Field& f) {
        return f.optional || is_text(f.type) || is_int(f.type) || is_entity(f.type) ||
               is_duration(f.type) || f.type == "bool";
      });
      if (kind < 14 && scalar) {
        metric_extract(e);
      } else if (kind < 28 && scalar) {
        record_extract(e);
      } else {
        line_extract(e);
      }
    }
  }

  std::string extract_name() { return fmt::format("x{}", next_extract_++); }

  Strings some_sources() {
    const std::string first =
        r_.word({"app", "kernel", "syslog", "slurm", "flight_recorder", "fabric_manager", "any"});
    if (first == "any" || r_.chance(70)) return {first};
    const std::string second = r_.word({"app", "kernel", "journald"});
    if (second == first) return {first};
    return {first, second};
  }

  // `{name}`, or a gap or skip beside it now and then.
  void field_pieces(const Field& f, Shape& shape) {
    shape.push_back({Piece::Kind::Blank, "", "", {}});
    shape.push_back({Piece::Kind::Text, f.name + "=", "", {}});
    if (r_.chance(8))
      shape.push_back({Piece::Kind::Skip, "", r_.word({"word", "u8"}), {}}),
          shape.push_back({Piece::Kind::Text, ">", "", {}});
    std::string hole = f.name;
    if (f.type == "u16" && r_.chance(10)) hole += ":u8";
    shape.push_back({Piece::Kind::Hole, hole, hole == f.name ? f.type : "u8", {}});
  }

  struct Local {
    bool ran = false, node = false, rank = false;
  };

  Shape line_shape(const std::string& head, const Fields& fields, const Local& local, bool first) {
    Shape shape{{Piece::Kind::Text, head, "", {}}};
    if (first && r_.chance(10)) shape.push_back({Piece::Kind::Text, " {{x}}", "", {}});
    for (const Field& f : fields) {
      if (f.optional && r_.chance(30)) continue;
      if (f.optional && r_.chance(50)) {
        Piece group{Piece::Kind::Group, "", "", {}};
        field_pieces(f, group.inner);
        shape.push_back(group);
      } else {
        field_pieces(f, shape);
      }
      if (r_.chance(10))
        shape.push_back({Piece::Kind::Gap, "", "", {}}),
            shape.push_back({Piece::Kind::Text, " |", "", {}});
    }
    if (local.ran) field_pieces({"ran", "ms"}, shape), shape.back().text = "ran:ms";
    if (local.node) field_pieces({"node", "Node"}, shape), shape.back().text = "node:Node";
    if (local.rank) field_pieces({"rank", "Rank"}, shape), shape.back().text = "rank:Rank";
    shape.push_back({Piece::Kind::Text, " end", "", {}});
    if (r_.chance(25)) shape.push_back({Piece::Kind::Rest, "", "", {}});
    return shape;
  }

  void line_extract(const Event& e) {
    const std::string name = extract_name();
    const Strings sources = some_sources();
    Local local{r_.chance(25), r_.chance(15), r_.chance(15)};
    // A local capture may not be what a field is called already.
    Fields captured = e.fields;
    std::string sets;
    std::erase_if(captured, [&](const Field& f) {
      if (!r_.chance(15)) return false;
      const std::string value = set_value(f);
      if (value.empty()) return false;
      sets += fmt::format("  set {} = {}\n", f.name, value);
      return true;
    });
    const bool of_itself = std::none_of(captured.begin(), captured.end(),
                                        [&](const Field& f) { return f.type == e.on; });
    const bool keep_last = !local.node && !local.rank && of_itself && r_.chance(30);
    const bool keep_first = !keep_last && !local.node && !local.rank && of_itself && !captured.empty() && r_.chance(30);
    const std::size_t alternatives = 1 + r_.below(2);
    std::string lines, samples;
    std::vector<std::vector<Shape>> shapes;
    for (std::size_t a = 0; a < alternatives; ++a) {
      const std::string head = fmt::format("{}-fires-{}", name, a);
      std::vector<Shape> record;
      const bool starts = r_.chance(15);
      if (!keep_last && !keep_first && r_.chance(20) && !captured.empty()) {
        const auto half = static_cast<std::ptrdiff_t>(r_.below(captured.size() + 1));
        record.push_back(
            line_shape(head, {captured.begin(), captured.begin() + half}, local, true));
        record.push_back(
            line_shape(name + "-goes-on", {captured.begin() + half, captured.end()}, {}, false));
      } else {
        record.push_back(line_shape(head, captured, local, true));
      }
      lines += fmt::format("  line {}{}", starts ? "start " : "", quoted(as_template(record[0])));
      for (std::size_t i = 1; i < record.size(); ++i)
        lines += " next " + quoted(as_template(record[i]));
      if (record.size() > 1) lines += fmt::format(" within {} lines", 1 + r_.below(4));
      lines += "\n";
      samples += "  sample " + quoted(as_line(record[0], r_));
      for (std::size_t i = 1; i < record.size(); ++i)
        samples += " next " + quoted(as_line(record[i], r_));
      samples += "\n";
      shapes.push_back(record);
    }
    if (r_.chance(12) && !local.node && !local.rank && !local.ran && regex_fits(captured)) {
      std::string expression = name + " regex", line = name + " regex";
      for (const Field& f : captured) {
        if (f.optional) continue;
        expression +=
            fmt::format(" {}=(?P<{}>{})", f.name, f.name, is_int(f.type) ? "[0-9]+" : "[a-z0-9]+");
        line += fmt::format(" {}={}", f.name, is_int(f.type) ? "2" : "a1");
      }
      lines += fmt::format("  regex {}\n", quoted(expression + "(?: tail)?"));
      samples += "  sample " + quoted(line) + "\n";
      shapes.push_back({{{Piece::Kind::Text, line, "", {}}}});
    }
    std::string more = sets;
    if (keep_last) more += "  keep last\n";
    if (keep_first) {
      more += "  keep first by " + captured[0].name;
      if (captured.size() > 1 && r_.chance(50)) more += ", " + captured[1].name;
      more += "\n";
    }
    if (r_.chance(15) && !captured.empty() && !captured[0].optional)
      more += "  where " + capture_condition(captured[0]) + "\n";
    if (r_.chance(10))
      more += fmt::format("  where contains(message, \"{}\") and not ends_with(message, \"zz\")\n",
                          name);
    if (r_.chance(20))
      more += fmt::format("  family {}\n", r_.word({"kernel", "application", "telemetry"}));
    more += at_clause(e, captured);
    more += begin_clause(local.ran);
    add(fmt::format("extract {} from {} as {} {{\n{}{}{}  reject \"nothing of that\"\n}}", name,
                    fmt::join(sources, ", "), e.name, lines, more, samples));
    for (const std::vector<Shape>& record : shapes) {
      out_.recipes.push_back({Recipe::Kind::Lines, sources, [record](Random& r) {
                                Strings lines_out;
                                for (const Shape& shape : record) {
                                  lines_out.push_back((r.chance(10) ? "prefix " : "") +
                                                      as_line(shape, r));
                                }
                                return lines_out;
                              }});
    }
  }

  static bool regex_fits(const Fields& fields) {
    return std::all_of(fields.begin(), fields.end(), [](const Field& f) {
      return f.optional || is_int(f.type) || f.type == "word" || f.type == "token" ||
             f.type == "text";
    });
  }

  // Holds for every value: what it says of samples is not the point.
  std::string capture_condition(const Field& f) {
    if (is_entity(f.type)) return "has " + f.name;
    if (is_text(f.type)) return fmt::format("contains({}, \"1\") or {} != \"q\"", f.name, f.name);
    const std::string value = constant_of(f.type, r_);
    return fmt::format("{} == {} or {} != {}", f.name, value, f.name, value);
  }

  std::string set_value(const Field& f) {
    if (f.type == "Collective")
      return r_.word({"collective(\"c0\", 3)", "collective(communicator(\"c1\"), 1)"});
    if (f.type == "Communicator") return "communicator(\"c1\")";
    if (f.type == "Node") return "node";
    if (f.type == "Rank") return "rank";
    if (is_entity(f.type)) return "";
    return constant_of(f.type, r_);
  }

  std::string at_clause(const Event& e, const Fields& captured) {
    if (!r_.chance(25)) return "";
    if (e.on == "Node") return "  at node\n";
    if (e.on == "Rank") return "  at rank\n";
    if (e.on == "Attempt") return "  at attempt\n";
    for (const Field& f : captured) {
      if (f.type == e.on && !f.optional) return fmt::format("  at {}\n", f.name);
    }
    return "";
  }

  std::string begin_clause(bool ran) {
    if (ran) return r_.chance(80) ? "  begin seen - ran\n" : "  begin seen - ran - 5s .. seen\n";
    if (!r_.chance(20)) return "";
    return r_.word({"  begin seen - 60s .. seen - 4s\n", "  begin seen - 10m .. seen\n",
                    "  begin seen - 1s\n", "  begin seen + 2s\n"});
  }

  void metric_extract(const Event& e) {
    const std::string name = extract_name();
    std::string sets;
    for (const Field& f : e.fields) {
      if (f.optional && r_.chance(40)) continue;
      std::string value = is_text(f.type) && f.optional ? "label(\"who\")" : set_value(f);
      if (reads_input(f)) value = fmt::format("label(\"amount\", {})", f.type);
      if (f.type == "dec") value = "value";
      if (!value.empty()) sets += fmt::format("  set {} = {}\n", f.name, value);
      if (value.empty() && !f.optional) return line_extract(e);
    }
    const bool rises = r_.chance(30);
    const std::string metric = name + "_gauge";
    add(fmt::format(
        "extract {} from metric as {} {{\n  where name == \"{}\" and {}\n{}{}{}  sample {{ name: "
        "\"{}\", value: 5, previous: 1, labels: {{ who: \"a1\" }} }}\n"
        "  reject {{ name: \"other\", value: 5 }}\n}}",
        name, e.name, metric,
        rises ? "value rises" : r_.word({"value > 0", "value >= 2.5", "not (value < 1)"}), sets,
        at_clause(e, {}), r_.chance(40) ? "  begin seen - 1m .. seen\n" : "", metric));
    out_.recipes.push_back({Recipe::Kind::Metric, {"metric"}, [metric](Random& r) {
                              return Strings{fmt::format(
                                  "\"name\": \"{}\", \"value\": {}, \"labels\": {{\"who\": {}{}}}",
                                  metric, r.word({"0", "1", "2.5", "5"}),
                                  json_text(r.word({"a1", "b2"})), amount(r, "amount"))};
                            }});
  }

  // An optional field of a plain type may be read from a text that has its form or has not.
  bool reads_input(const Field& f) {
    return f.optional && model::parse_reader(f.type) && r_.chance(60);
  }
  static std::string amount(Random& r, const std::string& key) {
    if (!r.chance(70)) return "";
    return fmt::format(", \"{}\": {}", key,
                       json_text(r.word({"7", "-7", "70000", "0x1f", "2.5", "10m", "1:02:03",
                                         "true", "a b", "a1", "0000:04:00.0", "", "7 "})));
  }

  void record_extract(const Event& e) {
    const std::string name = extract_name();
    const std::string source = r_.word({"slurm", "k8s", "kueue"});
    std::string sets;
    for (const Field& f : e.fields) {
      if (f.optional && r_.chance(40)) continue;
      std::string value = is_text(f.type)
                              ? (f.optional ? "record(\"Reason\")" : "record(\"State\")")
                              : set_value(f);
      if (reads_input(f)) value = fmt::format("record(\"Amount\", {})", f.type);
      if (!value.empty()) sets += fmt::format("  set {} = {}\n", f.name, value);
      if (value.empty() && !f.optional) return line_extract(e);
    }
    add(
        fmt::format("extract {} from {} record as {} {{\n  where record(\"State\") == \"{}\"\n{}{}"

                    "  sample {{ State: \"{}\" }}\n  reject {{ State: \"OTHER\" }}\n}}",
                    name, source, e.name, name, sets, at_clause(e, {}), name));
    out_.recipes.push_back({Recipe::Kind::Record, {source}, [name](Random& r) {
                              return Strings{fmt::format("\"record\": {{\"State\": \"{}\"{}{}}}",
                                                         r.chance(80) ? name : "OTHER",
                                                         r.chance(50) ? ", \"Reason\": \"b2\"" : "",
                                                         amount(r, "Amount"))};
                            }});
  }

  void learn() {
    struct Kind {
      std::string clause;
      Shape shape;
    };
    const auto hole = [](const std::string& text, const std::string& type) {
      return Piece{Piece::Kind::Hole, text, type, {}};
    };
    const auto text = [](const std::string& t) { return Piece{Piece::Kind::Text, t, "", {}}; };
    const std::string name = extract_name();
    const std::vector<Kind> kinds = {
        {"place rank on node gpu busid",
         {text(name + "-places-rank "), hole("rank:Rank", "Rank"), text(" bus "),
          hole("busid:pci", "Gpu")}},
        {"place who on where",
         {text(name + "-places "), hole("who:u32", "u8"), text(" on "),
          hole("where:Node", "Node")}},
        {"world size", {text(name + "-world-is "), hole("size:u32", "u8")}},
        {"member rank of group",
         {text(name + "-member-of "), hole("group:Communicator", "Communicator")}},
        {"address ip of where",
         {text(name + "-address "), hole("ip:addr", "Path"), text(" is "),
          hole("where:Node", "Node")}},
        {"alias other of where",
         {text(name + "-alias "), hole("other:word", "word"), text(" for "),
          hole("where:Node", "Node")}},
        {"alias other of dev",
         {text(name + "-alias "), hole("other:word", "word"), text(" for GPU "),
          hole("dev:Gpu", "Gpu")}}};
    const Kind& kind = r_.pick(kinds);
    const Strings sources = some_sources();
    add(fmt::format(
        "extract {} from {} learn {} {{\n  line {}\n  sample {}\n  reject \"nothing\"\n}}", name,
        fmt::join(sources, ", "), kind.clause, quoted(as_template(kind.shape)),
        quoted(as_line(kind.shape, r_))));
    const Shape shape = kind.shape;
    for (int copies = 0; copies < 2; ++copies) {
      out_.recipes.push_back({Recipe::Kind::Lines, sources,
                              [shape](Random& r) { return Strings{as_line(shape, r)}; }});
    }
    if (r_.chance(40)) learn();
  }

  // --- Conditions ---

  static Variable of(const std::string& name, const Event& e) {
    return {name, true, false, {e.on}, e.fields};
  }
  static Variable of(const std::string& name, const Symptom& s) {
    return {name, false, false, s.on, s.fields};
  }
  static Variable of_any(const std::string& name) { return {name, false, true, {}, {}}; }

  // Sees only: entity-valued paths of a variable, with their kind; guarded text first ("" if none
  // is needed).
  struct Path {
    std::string guard, text, kind;
  };
  std::optional<Path> entity_path(const Variables& vars, const std::string& kind) {
    std::vector<Path> all;
    for (const Variable& v : vars) {
      for (const Field& f : v.fields) {
        const std::string path = v.name + "." + f.name;
        const std::string guard = f.optional ? "has " + path + " and " : "";
        if (f.type == kind) all.push_back({guard, path, kind});
        if (kind == "Node" && (f.type == "Gpu" || f.type == "Rank" || f.type == "Nic" ||
                               f.type == "Mount" || f.type == "Link")) {
          all.push_back({guard, path + ".node", kind});
        }
        if (kind == "Node" && f.type == "Path") all.push_back({guard, path + ".host", kind});
        if (kind == "Gpu" && (f.type == "Rank" || f.type == "Link"))
          all.push_back({guard, path + ".gpu", kind});
        if (kind == "Communicator" && f.type == "Collective")
          all.push_back({guard, path + ".comm", kind});
        if (kind == "Switch" && f.type == "SwitchPort")
          all.push_back({guard, path + ".switch", kind});
      }
      const auto has = [&](const char* name) {
        return std::any_of(v.fields.begin(), v.fields.end(),
                           [&](const Field& f) { return f.name == name; });
      };
      if (kind == "Node" && !has("node")) all.push_back({"", v.name + ".node", kind});
      if (kind == "Rank" && !has("rank")) all.push_back({"", v.name + ".rank", kind});
      if (v.on.size() == 1 && v.on[0] == kind) all.push_back({"", v.name + ".entity", kind});
    }
    if (all.empty()) return std::nullopt;
    return r_.pick(all);
  }

  std::string set_of_ranks(const Variables& vars, std::string* guard) {
    const std::string kind = r_.word({"Node", "Node", "Rank", "Gpu", "Communicator", "Collective"});
    const auto path = entity_path(vars, kind);
    if (!path || r_.chance(15)) return "attempt.ranks";
    *guard += path->guard;
    if (kind == "Node") return path->text + r_.word({".comm_ranks", ".ranks"});
    return path->text + (kind == "Rank" || kind == "Gpu" ? ".comm_ranks" : ".ranks");
  }

  std::string relation(const Variables& vars) {
    if (r_.chance(45)) {
      const std::string kind =
          r_.word({"Node", "Node", "Rank", "Gpu", "Collective", "Communicator", "Switch"});
      const auto a = entity_path(vars, kind);
      const auto b = entity_path(vars, kind);
      if (a && b)
        return fmt::format("({}{}{} {} {})", a->guard, b->guard, a->text,
                           r_.chance(80) ? "==" : "!=", b->text);
    }
    if (r_.chance(20)) {
      const auto node = entity_path(vars, "Node");
      if (node) return fmt::format("({}{} in attempt.nodes)", node->guard, node->text);
    }
    if (r_.chance(10)) {
      const auto gpu = entity_path(vars, "Gpu");
      const auto node = entity_path(vars, "Node");
      if (gpu && node)
        return fmt::format("({}{}{} in {}.gpus)", gpu->guard, node->guard, gpu->text, node->text);
    }
    const auto rank = entity_path(vars, "Rank");
    std::string guard = rank ? rank->guard : "";
    const std::string set = set_of_ranks(vars, &guard);
    if (!rank) return "attempt == attempt";
    return fmt::format("({}{} in {})", guard, rank->text, set);
  }

  std::string field_test(const Variable& v) {
    if (v.fields.empty()) return attribute_test(v);
    const Field& f = r_.pick(v.fields);
    const std::string path = v.name + "." + f.name;
    const std::string guard = f.optional ? "has " + path + " and " : "";
    if (f.optional && r_.chance(20)) return (r_.chance(30) ? "not has " : "has ") + path;
    if (is_entity(f.type)) {
      return fmt::format("({}{} {} {})", guard, path, r_.chance(50) ? "==" : "!=", path);
    }
    if (is_text(f.type) && r_.chance(50)) {
      return fmt::format("({}{}({}, \"{}\"))", guard,
                         r_.word({"contains", "starts_with", "ends_with"}), path,
                         r_.word({"a", "1", "t"}));
    }
    if (f.type != "bool" && r_.chance(25)) {
      return fmt::format("({}{} in [{}, {}])", guard, path, constant_of(f.type, r_),
                         constant_of(f.type, r_));
    }
    if (f.type == "u16" && lets_ && r_.chance(40))
      return fmt::format("({}odd_code({}))", guard, path);
    if ((is_int(f.type) || is_duration(f.type)) && r_.chance(25)) {
      const std::string unit = is_int(f.type) ? "1" : "30s";
      return fmt::format("({}{} {} {} {} {})", guard, path, r_.word({"+", "-"}), unit,
                         operator_for(f.type, r_),
                         r_.chance(30) ? fmt::format("-({})", path)
                                       : constant_of(is_int(f.type) ? "u16" : f.type, r_));
    }
    return fmt::format("({}{} {} {})", guard, path, operator_for(f.type, r_),
                       constant_of(f.type, r_));
  }

  std::string attribute_test(const Variable& v) {
    if (v.event)
      return r_.chance(50) ? fmt::format("contains({}.message, \"{}\")", v.name,
                                         r_.word({"fires", "1", "zz"}))
                           : "has " + v.name + ".node";
    switch (r_.below(7)) {
      case 0:
        return fmt::format("{}.count {} {}", v.name, r_.word({">", ">=", "=="}), 1 + r_.below(3));
      case 1:
        return fmt::format("{}.role {} {}", v.name, r_.word({"==", "!="}),
                           r_.word({"victim", "origin"}));
      case 2:
        return fmt::format("{}.domain == gpu", v.name);
      case 3:
        return fmt::format("{}.severity != info", v.name);
      case 4:
        return hot_ ? fmt::format("{}.tags has hot", v.name) : fmt::format("{}.count > 0", v.name);
      case 5:
        return fmt::format("{}.symptom != \"{}\"", v.name, r_.pick(symptoms_).name);
      default:
        return fmt::format("has {}.rank", v.name);
    }
  }

  std::string condition(const Variables& vars, int depth, bool history) {
    if (depth > 0 && r_.chance(35)) {
      const std::string a = condition(vars, depth - 1, history);
      const std::string b = condition(vars, depth - 1, history);
      if (r_.chance(20)) return fmt::format("not ({})", a);
      return fmt::format("({} {} {})", a, r_.word({"and", "or"}), b);
    }
    const Variable& v = r_.pick(vars);
    switch (r_.below(history ? 9 : 7)) {
      case 0:
      case 1:
      case 2:
        return relation(vars);
      case 3:
        return attribute_test(v);
      case 7:
        return v.event ? field_test(v)
                       : fmt::format("bursts({}, {}) {} {}", v.name, r_.word({"1m", "1h", "24h"}),
                                     r_.word({">=", "<"}), 1 + r_.below(3));
      case 8:
        return v.event ? field_test(v)
                       : fmt::format("solo({}, {})", v.name, r_.word({"1s", "1m", "1h"}));
      default:
        return field_test(v);
    }
  }

  // --- Emissions ---

  std::string value_for(const Field& target, const Variables& vars, const Table* table) {
    Strings options;
    for (const Variable& v : vars) {
      for (const Field& f : v.fields) {
        const bool fits =
            f.type == target.type || (is_duration(f.type) && is_duration(target.type));
        if (fits && (!f.optional || target.optional)) options.push_back(v.name + "." + f.name);
      }
      if (target.type == "Node" && target.optional) options.push_back(v.name + ".node");
      if (target.type == "Rank" && target.optional) options.push_back(v.name + ".rank");
    }
    if (table != nullptr && target.optional && target.type == "i32") options.push_back("row.num");
    if (table != nullptr && target.optional && target.type == "word") options.push_back("row.res");
    if (readable_ != nullptr && target.optional && r_.chance(50)) {
      const std::string collected = collected_value(target, vars);
      if (!collected.empty()) return collected;
    }
    if (!options.empty() && r_.chance(80)) return r_.pick(options);
    if (is_entity(target.type)) return "";
    return constant_of(target.type, r_);
  }

  // "least v.num of v: aa.s0 where ...": what an aggregate gives shows in the verdict.
  std::string collected_value(const Field& target, const Variables& vars) {
    for (int attempt = 0; attempt < 4; ++attempt) {
      const Symptom& t = *r_.pick(*readable_);
      for (const Field& f : t.fields) {
        if (f.type != target.type || is_entity(f.type) || f.type == "bool" || f.type[0] == '(')
          continue;
        const std::string where = r_.chance(60) ? " where " + relation({of("v", t), vars[0]}) : "";
        return fmt::format("{} v.{} of v: {}{}{}", r_.word({"least", "odd", "odd"}), f.name, t.name,
                           where, r_.chance(20) ? " over attempt.ranks" : "");
      }
    }
    return "";
  }

  // "" if it cannot be made from these variables.
  std::string emission(const Symptom& s, const Variables& vars, const Table* table,
                       bool certain_at) {
    std::optional<std::string> at;
    const std::string kind = r_.pick(s.on);
    if (kind == "Attempt") {
      at = "attempt";
    } else if (const auto path = entity_path(vars, kind); path && path->guard.empty()) {
      at = path->text;
    }
    if (!at) return "";
    static_cast<void>(certain_at);
    std::string fields;
    for (const Field& f : s.fields) {
      if (f.optional && r_.chance(30)) continue;
      const std::string value = value_for(f, vars, table);
      if (value.empty() && f.optional) continue;
      if (value.empty()) return "";
      fields += fmt::format("{}{}: {}", fields.empty() ? "" : ", ", f.name, value);
    }
    std::string out = fmt::format("emit {} at {} {{ {} }}", s.name, *at, fields);
    if (table != nullptr && r_.chance(50))
      out += r_.word({" role row.role", " domain row.dom", " action row.act", " title row.act"});
    if (r_.chance(8))
      out += r_.word(
          {" severity critical", " retry after_fix", " blame none", " blame self", " domain host"});
    if (r_.chance(10))
      out += fmt::format(" begin {}.seen - 30s .. {}.seen", vars[0].name, vars[0].name);
    return out;
  }

  std::string lookup(const Table& t, const Variables& vars, std::string* guard) {
    Strings keys;
    for (const Field& key : t.keys) {
      Strings options;
      for (const Variable& v : vars) {
        for (const Field& f : v.fields) {
          const bool fits = key.type == "ternary32" ? is_int(f.type) && f.type != "i32"
                            : is_int(key.type)      ? f.type == key.type
                                                    : f.type == "word";
          if (!fits) continue;
          const std::string path = v.name + "." + f.name;
          options.push_back((f.optional ? "?" : "") + path);
        }
      }
      if (options.empty()) return "";
      std::string path = r_.pick(options);
      if (path[0] == '?') {
        path.erase(0, 1);
        *guard += (guard->empty() ? "has " : " and has ") + path;
      }
      keys.push_back(path);
    }
    return fmt::format("  lookup {}[{}] as row\n", t.name, fmt::join(keys, ", "));
  }

  std::string band() {
    return r_.chance(60) ? fmt::format("  confidence {}\n",
                                       r_.word({"hint", "possible", "likely", "certain"}))
                         : "";
  }

  void makers(const Symptom& s) {
    if (s.by_outcome) return;
    for (std::size_t i = 0; i < 2; ++i) {
      bool made = false;
      for (int attempt = 0; attempt < 16 && !made; ++attempt) {
        made = s.layer == 0 ? decode(s, i) : infer(s, i);
      }
      if (r_.chance(60)) break;
    }
  }

  std::string rule_name(const char* kind) { return fmt::format("{}_{}", kind, next_rule_++); }

  bool decode(const Symptom& s, std::size_t) {
    const bool header = r_.chance(8);
    static const Event kHeader{
        "JobState", "Attempt", {{"state", "word", true}, {"exit_code", "i32", true}}, false};
    const Event& e = header ? kHeader : r_.pick(events_);
    const Variables vars{of("x", e)};
    std::string guard;
    const Table* table = nullptr;
    std::string look;
    if (!tables_.empty() && r_.chance(50)) {
      table = &r_.pick(tables_);
      look = lookup(*table, vars, &guard);
      if (look.empty()) table = nullptr;
    }
    const std::string emit = emission(s, vars, table, true);
    if (emit.empty()) return false;
    std::string where = guard;
    if (r_.chance(30)) where += (where.empty() ? "" : " and ") + condition(vars, 1, false);
    std::string when;
    if (table != nullptr && r_.chance(40))
      when += fmt::format("  when {}\n",
                          r_.word({"row.res == rx", "row.num >= 0",
                                   "row.res in [rx, ry] or row.num == 2", "has row.res"}));
    if (r_.chance(15)) when += fmt::format("  when {}\n", condition(vars, 0, false));
    add(fmt::format("decode {} {{\n  on x: {}{}\n{}{}  {}\n{}}}", rule_name("d"), e.name,
                    where.empty() ? "" : " where " + where, look, when, emit, band()));
    return true;
  }

  std::vector<const Symptom*> below_layer(std::size_t layer) {
    std::vector<const Symptom*> out;
    for (const Symptom& s : symptoms_) {
      if (s.layer < layer && !s.by_outcome) out.push_back(&s);
    }
    return out;
  }

  // "count of v: T where ... >= 2" and its kin.
  std::string aggregate(const Variables& vars, const Symptom& t) {
    Variables inner = vars;
    inner.push_back(of("v", t));
    const std::string where =
        r_.chance(70) ? " where " + condition({inner.back(), vars[0]}, 0, false) : "";
    const std::string of_what = fmt::format("v: {}{}", t.name, where);
    Fields usable;
    for (const Field& f : t.fields) {
      if (is_int(f.type) || f.type == "word" || is_duration(f.type)) usable.push_back(f);
    }
    if (usable.empty() || r_.chance(40))
      return fmt::format("(count of {}) {} {}", of_what, r_.word({">=", "==", "<", ">"}),
                         r_.below(4));
    const Field& f = r_.pick(usable);
    if (r_.chance(30)) {
      const std::string what = r_.chance(30) && f.type != "word" ? "v.rank" : "v." + f.name;
      return fmt::format("(count distinct {} of {}) {} {}", what, of_what, r_.word({">=", "=="}),
                         1 + r_.below(3));
    }
    const std::string over = r_.chance(30) ? " over attempt.ranks" : "";
    return fmt::format("({} v.{} of {}{}) {} {}", r_.word({"least", "odd"}), f.name, of_what, over,
                       r_.word({"==", "!="}), constant_of(f.type, r_));
  }

  bool infer(const Symptom& s, std::size_t) {
    const auto readable = below_layer(s.layer);
    if (readable.empty()) return false;
    const Symptom& first = *r_.pick(readable);
    Variables vars{of("a", first)};
    std::string clauses = fmt::format("  each a: {}{}\n", first.name,
                                      r_.chance(30) ? " where " + condition(vars, 0, true) : "");
    if (r_.chance(30)) {
      if (r_.chance(30)) {
        const Event& e = r_.pick(events_);
        vars.push_back(of("b", e));
        clauses += fmt::format("  each b: {} where {}\n", e.name, condition(vars, 0, false));
      } else if (r_.chance(30)) {
        const Symptom& second = *r_.pick(readable);
        const Symptom& third = *r_.pick(readable);
        if (&second != &third) {
          vars.push_back({"b", false, false, {"Node", "Rank"}, {}});
          clauses +=
              fmt::format("  each b: {} | {} where {}\n", second.name, third.name, relation(vars));
        }
      } else {
        const Symptom& second = *r_.pick(readable);
        vars.push_back(of("b", second));
        clauses += fmt::format("  each b: {} where {}\n", second.name, condition(vars, 1, true));
      }
    }
    bool member = false;
    if (r_.chance(35)) {
      std::string guard;
      const std::string set = set_of_ranks(vars, &guard);
      if (guard.empty()) {
        clauses += fmt::format("  each r: Rank in {}\n", set);
        member = true;
      }
    }
    std::string guard;
    const Table* table = nullptr;
    if (!tables_.empty() && r_.chance(15)) {
      const std::string look = lookup(tables_[0], {vars[0]}, &guard);
      if (!look.empty() && guard.empty()) {
        clauses += look;
        table = &tables_[0];
      }
    }
    const bool absent = r_.chance(55);
    if (absent) {
      const bool events = r_.chance(30);
      const Event& e = r_.pick(events_);
      const Symptom& t = *r_.pick(readable);
      Variables inner = vars;
      inner.push_back(events ? of("n", e) : of("n", t));
      std::string where = condition({inner.back(), vars[0]}, 0, false);
      if (member && r_.chance(60)) where = "n.rank == r";
      clauses +=
          fmt::format("  absent n: {} where {} during a.begin - {} .. {} covered by {}{}\n",
                      events ? e.name : t.name, where, r_.word({"0s", "10m", "1h"}),
                      r_.word({"a.seen", "a.last + 1m", "a.begin + 10m"}),
                      r_.word({"app", "kernel", "flight_recorder or app", "kernel or slurm"}),
                      r_.chance(60) ? (member && r_.chance(50) ? " of r" : " of a.node") : "");
    }
    if (r_.chance(25)) {
      clauses += fmt::format("  when {}solo(a, {})\n", r_.chance(40) ? "not " : "",
                             r_.word({"1s", "30s", "1m", "10m", "1h"}));
    } else if (r_.chance(25)) {
      clauses += fmt::format("  when bursts(a, {}) {} {}\n", r_.word({"1s", "1m", "10m", "1h"}),
                             r_.word({"==", ">=", "<"}), 1 + r_.below(4));
    }
    if (r_.chance(40)) clauses += fmt::format("  when {}\n", aggregate(vars, *r_.pick(readable)));
    if (r_.chance(30)) clauses += fmt::format("  when {}\n", condition(vars, 1, true));
    readable_ = &readable;
    std::string emit;
    if (member && std::find(s.on.begin(), s.on.end(), "Rank") != s.on.end() && s.fields.empty()) {
      emit = fmt::format("emit {} at r {{ }}", s.name);
    } else {
      emit = emission(s, vars, table, true);
    }
    if (emit.empty()) {
      readable_ = nullptr;
      return false;
    }
    std::string others;
    for (const char* on : {"unknown", "unsure", "uncovered"}) {
      if (!r_.chance(absent ? 40 : 15)) continue;
      const std::string other = emission(s, vars, table, true);
      if (!other.empty()) others += fmt::format("  {} {}\n", on, other);
    }
    readable_ = nullptr;
    add(fmt::format("infer {} {{\n{}  {}\n{}{}}}", rule_name("i"), clauses, emit, band(), others));
    return true;
  }

  // --- Demotion, outcome, ambiguity ---

  std::string bound(const Variables& vars, const std::string& param, bool low) {
    for (const Variable& v : vars) {
      for (const Field& f : v.fields) {
        if (is_duration(f.type) && !f.optional && r_.chance(30))
          return fmt::format("{}.{} + {}", v.name, f.name, low ? "0s" : "5m");
      }
    }
    if (!param.empty() && r_.chance(60)) return (low ? "-" : "") + param;
    return low ? r_.word({"0s", "-60s", "-5m", "0s"}) : r_.word({"10s", "2m", "10m", "1h"});
  }

  void demote(std::size_t) {
    const Symptom* c = &r_.pick(symptoms_);
    const Symptom* e = &r_.pick(symptoms_);
    for (int again = 0; again < 4 && (c->role == "end" || c->role == "note" || c->role == "victim");
         ++again)
      c = &r_.pick(symptoms_);
    for (int again = 0; again < 4 && (e == c || e->role == "note"); ++again)
      e = &r_.pick(symptoms_);
    std::string cause = fmt::format("c: {}", c->name), effect = fmt::format("e: {}", e->name);
    Variables vars{of("c", *c), of("e", *e)};
    if (r_.chance(12)) {
      vars[0] = of_any("c");
      cause = fmt::format("c: any where {}", attribute_test(vars[0]));
    } else if (r_.chance(10)) {
      const Symptom& other = r_.pick(symptoms_);
      if (other.name != c->name) {
        cause = fmt::format("c: {} | {}", c->name, other.name);
        vars[0] = {"c", false, false, {"Node", "Rank"}, {}};
      }
    } else if (r_.chance(15)) {
      cause += " where " + condition({vars[0]}, 0, true);
    }
    if (r_.chance(12)) {
      vars[1] = of_any("e");
      effect = fmt::format("e: any where {}", attribute_test(vars[1]));
    } else if (r_.chance(15)) {
      effect += " where " + condition({vars[1]}, 0, true);
    }
    std::string text = fmt::format("demote {} {{\n", rule_name("m"));
    std::string param;
    if (r_.chance(40)) {
      param = "slack";
      text += fmt::format("  param slack = {} range 0s..30m\n", r_.word({"30s", "2m", "10m"}));
    }
    text += fmt::format("  cause {}\n  effect {}\n", cause, effect);
    if (r_.chance(55))
      text +=
          fmt::format("  where {}\n", r_.chance(60) ? relation(vars) : condition(vars, 1, true));
    const bool reversed = r_.chance(20);
    const std::string p = r_.chance(65) ? "begin" : r_.word({"begin", "seen", "last"});
    const std::string q = r_.chance(65) ? "begin" : r_.word({"begin", "seen", "last"});
    text +=
        fmt::format("  within {}..{} from {}.{} to {}.{}\n", bound(vars, param, true),
                    bound(vars, param, false), reversed ? "e" : "c", p, reversed ? "c" : "e", q);
    add(text + fmt::format("  because \"reason {}\"\n}}", next_rule_));
  }

  void outcome(std::size_t) {
    Strings ends;
    const Symptom* on = &r_.pick(symptoms_);
    const Symptom* emits = nullptr;
    for (const Symptom& s : symptoms_) {
      if (s.by_outcome) emits = &s;
    }
    if (on->by_outcome) return;
    const Variables vars{of("t", *on)};
    std::string emit;
    if (emits != nullptr) emit = emission(*emits, vars, nullptr, true);
    add(fmt::format("outcome {} {{\n  on t: {}{}{}\n  gives {}\n  rank {}\n{}}}", rule_name("o"),
                    on->name, r_.chance(30) ? " of attempt" : "",
                    r_.chance(30) ? " where " + condition(vars, 0, true) : "",
                    r_.word({"failed", "failed", "timed_out", "cancelled", "completed", "hung"}),
                    r_.below(3) * 10, emit.empty() ? "" : "  " + emit + "\n"));
  }

  void ambiguous() {
    add(fmt::format(
        "ambiguous {} {{\n  among a, b: root of job\n  when tied(a, b){}\n  verdict undecided\n"
        "  report \"Tied: {{a}} and {{b}}, {{a.node}} {{{{x}}}} {{b.count}}.\"\n{}}}",
        rule_name("q"),
        r_.word(
            {" and not related(a, b)", "", " and not related(a, b)", " and a.domain != b.domain"}),
        r_.chance(70) ? "  ask \"Compare {a.node} of {a.symptom} with {b.rank} of {b.domain}.\"\n"
                      : ""));
  }

  Random& r_;
  RuleSet out_;
  std::vector<Event> events_;
  std::vector<Symptom> symptoms_;
  std::vector<Table> tables_;
  const std::vector<const Symptom*>* readable_ =
      nullptr;  // While an infer rule's emissions are written.
  bool lets_ = false;
  bool calm_ = false;  // No victims: then causes compete.
  bool hot_ = false;
  std::size_t next_extract_ = 0, next_rule_ = 0;
};

}  // namespace

std::string RuleSet::text() const {
  std::string out = "pack rnd 1.0.0\nlanguage 1\n";
  for (const std::string& d : declarations) out += "\n" + d + "\n";
  return out;
}

RuleSet random_rules(Random& random) { return Generator(random).run(); }

}  // namespace attrib::differential
