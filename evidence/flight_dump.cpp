#include "evidence/flight_dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "evidence/cursor.h"
#include "evidence/number_text.h"

namespace attrib::evidence {
namespace {

using Kind = PlainValue::Kind;

constexpr std::size_t kLongestText = 512;
constexpr std::size_t kMaxGroups = 65'536;
constexpr std::size_t kMostFields = 256;  // Of one dictionary.
constexpr std::size_t kMostProblems = 1000;
// Values looked at: a pickle may show one long list in a million places.
constexpr std::size_t kMaxSteps = 4 * kMaxPlainValues;
constexpr std::uint32_t kMostRank = 0x7fffffff;

std::string cut_text(std::string_view text) {
  std::size_t escaped = 0;
  std::string out = escape_invalid_utf8(text.substr(0, kLongestText), &escaped);
  return out;
}

// Reads the fields of one dictionary. A field that is absent or nothing is not there; one of
// another kind is a problem.
class Fields {
 public:
  Fields(const PlainData& data, const PlainValue& dictionary, std::string where,
         std::vector<std::string>* problems)
      : data_(data), dictionary_(dictionary), where_(std::move(where)), problems_(problems) {}

  const PlainValue* any(std::string_view name) const {
    const PlainValue* found = data_.find(dictionary_, name);
    return found == nullptr || found->kind == Kind::Nothing ? nullptr : found;
  }
  std::optional<std::string> text(std::string_view name) {
    const PlainValue* found = any(name);
    if (found == nullptr) return std::nullopt;
    if (found->kind == Kind::Text) return cut_text(found->text);
    wrong(name, "text", *found);
    return std::nullopt;
  }
  // The JSON form writes the numbers of `pg_status` as text.
  std::optional<std::int64_t> number(std::string_view name) {
    const PlainValue* found = any(name);
    if (found == nullptr) return std::nullopt;
    if (found->kind == Kind::Integer) return found->number;
    if (found->kind == Kind::Text) {
      if (const auto read = read_integer(found->text)) return read;
    }
    wrong(name, "a whole number", *found);
    return std::nullopt;
  }
  // -1 stands for "none yet", and the JSON form writes 0 for a time that is not known.
  std::optional<std::int64_t> sequence(std::string_view name) {
    const auto read = number(name);
    return read && *read >= 0 ? read : std::nullopt;
  }
  std::optional<std::int64_t> time(std::string_view name) {
    const auto read = number(name);
    return read && *read > 0 ? read : std::nullopt;
  }
  std::optional<bool> truth(std::string_view name) {
    const PlainValue* found = any(name);
    if (found == nullptr) return std::nullopt;
    if (found->kind == Kind::Truth) return found->number != 0;
    wrong(name, "true or false", *found);
    return std::nullopt;
  }
  const PlainValue* list(std::string_view name) {
    const PlainValue* found = any(name);
    if (found == nullptr || found->kind == Kind::List) return found;
    wrong(name, "a list", *found);
    return nullptr;
  }
  void wrong(std::string_view name, std::string_view expected, const PlainValue& got) {
    good = false;
    problems_->push_back(
        fmt::format("{}: field `{}`: expected {}, got {}", where_, name, expected, described(got)));
  }

  bool good = true;

 private:
  const PlainData& data_;
  const PlainValue& dictionary_;
  std::string where_;
  std::vector<std::string>* problems_;
};

// "[0, 1, 2]" as the recorder prints them.
std::optional<std::vector<std::uint32_t>> ranks_of_text(std::string_view text) {
  Cursor cursor(text);
  std::vector<std::uint32_t> out;
  if (!cursor.literal('[')) return std::nullopt;
  while (!cursor.literal(']')) {
    if (!out.empty() && !cursor.literal(',')) return std::nullopt;
    cursor.blanks();
    std::int64_t rank = 0;
    if (!cursor.digits(1, 10, &rank) || rank > kMostRank) return std::nullopt;
    out.push_back(static_cast<std::uint32_t>(rank));
  }
  if (!cursor.done()) return std::nullopt;
  return out;
}

std::optional<std::vector<std::uint32_t>> ranks_of_list(const PlainData& data,
                                                        const PlainValue& list) {
  std::vector<std::uint32_t> out;
  for (const std::uint32_t item : list.items) {
    const PlainValue& each = data.at(item);
    if (each.kind != Kind::Integer || each.number < 0 || each.number > kMostRank)
      return std::nullopt;
    out.push_back(static_cast<std::uint32_t>(each.number));
  }
  return out;
}

class Reader {
 public:
  explicit Reader(const PlainData& data) : data_(data) {}

  Result<FlightDump> read() {
    const PlainValue& root = data_.at(data_.root);
    const bool known = root.kind == Kind::Dictionary && (data_.find(root, "entries") != nullptr ||
                                                         data_.find(root, "pg_config") != nullptr);
    if (!known) {
      return Error{
          fmt::format("no flight-recorder dump: expected a dictionary with `entries`, got {}",
                      described(root))};
    }
    Fields fields(data_, root, "dump", &out_.problems);
    out_.version = fields.text("version").value_or("unknown");
    configuration(root);
    entries(fields);
    statuses(root);
    from_operations();
    if (out_.problems.size() > kMostProblems) {
      const std::size_t more = out_.problems.size() - kMostProblems;
      out_.problems.resize(kMostProblems);
      problem(fmt::format("dump: {} further problems", more));
    }
    return std::move(out_);
  }

 private:
  void problem(std::string text) { out_.problems.push_back(std::move(text)); }
  bool charge(std::size_t steps) {
    steps_ += steps;
    return steps_ <= kMaxSteps;
  }

  // -- pg_config: name -> {name, desc, ranks}
  void configuration(const PlainValue& root) {
    const PlainValue* config = data_.find(root, "pg_config");
    if (config == nullptr || config->kind != Kind::Dictionary) return;
    if (config->items.size() / 2 > kMaxGroups) {
      problem(fmt::format("{} groups: expected at most {}", config->items.size() / 2, kMaxGroups));
      return;
    }
    for (std::size_t i = 0; i + 1 < config->items.size(); i += 2) {
      const PlainValue& key = data_.at(config->items[i]);
      const PlainValue& value = data_.at(config->items[i + 1]);
      if (key.kind != Kind::Text || value.kind != Kind::Dictionary ||
          value.items.size() > 2 * kMostFields) {
        problem(fmt::format("pg_config: expected groups by their names, got {}", described(key)));
        continue;
      }
      group(cut_text(key.text), value);
    }
  }

  void group(const std::string& name, const PlainValue& value) {
    Fields fields(data_, value, fmt::format("group `{}`", name), &out_.problems);
    FlightGroup& made = out_.groups[name];
    made.name = name;
    made.description = fields.text("desc").value_or("");
    const PlainValue* ranks = fields.any("ranks");
    if (ranks == nullptr) return;
    std::optional<std::vector<std::uint32_t>> read;
    if (ranks->kind == Kind::Text) read = ranks_of_text(ranks->text);
    if (ranks->kind == Kind::List) read = ranks_of_list(data_, *ranks);
    if (!read) return fields.wrong("ranks", "ranks in brackets", *ranks);
    std::sort(read->begin(), read->end());
    read->erase(std::unique(read->begin(), read->end()), read->end());
    made.ranks = std::move(*read);
  }

  // -- entries
  void entries(Fields& root) {
    const PlainValue* list = root.list("entries");
    if (list == nullptr) return;
    for (std::size_t i = 0; i < list->items.size(); ++i) {
      const PlainValue& each = data_.at(list->items[i]);
      if (!charge(32)) {
        problem(fmt::format("entry {}: the entries have more than {} values: the rest is left out",
                            i + 1, kMaxSteps));
        return;
      }
      if (each.kind == Kind::Dictionary && each.items.size() <= 2 * kMostFields) {
        entry(each, i + 1);
      } else {
        problem(fmt::format("entry {}: expected a dictionary of at most {} fields, got {}", i + 1,
                            kMostFields, described(each)));
      }
    }
  }

  void entry(const PlainValue& value, std::size_t number) {
    Fields fields(data_, value, fmt::format("entry {}", number), &out_.problems);
    FlightOperation made;
    made.entry = number;
    made.record_id = fields.number("record_id");
    group_of(fields, &made);
    name_of(fields.text("profiling_name").value_or(""), &made);
    if (const auto told = fields.truth("is_p2p")) made.point_to_point = *told;
    made.state = fields.text("state").value_or("");
    made.retired = fields.truth("retired").value_or(false);
    const auto collective = fields.sequence("collective_seq_id");
    // Before version 2 one number counted both.
    const auto before = fields.sequence("seq_id");
    made.sequence = made.point_to_point ? fields.sequence("p2p_seq_id") : collective;
    if (!made.sequence) made.sequence = before;
    made.created = fields.time("time_created_ns");
    if (const auto micros = fields.time("time_created_us");
        micros && !made.created && *micros < INT64_MAX / 1000)
      made.created = *micros * 1000;
    made.started = fields.time("time_discovered_started_ns");
    made.completed = fields.time("time_discovered_completed_ns");
    made.timeout_ms = fields.time("timeout_ms");
    made.input_sizes = sizes(fields, "input_sizes", &made.elements);
    made.output_sizes = sizes(fields, "output_sizes", nullptr);
    made.input_types = words(fields, "input_dtypes");
    made.output_types = words(fields, "output_dtypes");
    made.frame = innermost_frame(fields);
    constexpr std::array<std::string_view, 3> kStates = {"scheduled", "started", "completed"};
    if (std::find(kStates.begin(), kStates.end(), made.state) == kStates.end()) {
      if (fields.good)
        problem(fmt::format(
            "entry {}: field `state`: expected scheduled, started or completed, got \"{}\"", number,
            made.state));
      return;
    }
    if (!fields.good) return;
    if (const auto pg_id = fields.number("pg_id"); pg_id && !made.group.empty())
      named_ids_.emplace(*pg_id, made.group);
    if (collective && !made.group.empty()) last_collective(made.group, *collective);
    out_.operations.push_back(std::move(made));
  }

  void last_collective(const std::string& name, std::int64_t number) {
    auto [at, fresh] = last_collective_.try_emplace(name, number);
    if (!fresh) at->second = std::max(at->second, number);
  }

  // `process_group` is (name, description); it was the name alone.
  void group_of(Fields& fields, FlightOperation* made) {
    const PlainValue* group = fields.any("process_group");
    if (group == nullptr) return;
    if (group->kind == Kind::Text) {
      made->group = cut_text(group->text);
      return;
    }
    const auto part = [&](std::size_t i) -> const PlainValue* {
      if (group->kind != Kind::List || i >= group->items.size()) return nullptr;
      const PlainValue& each = data_.at(group->items[i]);
      return each.kind == Kind::Text ? &each : nullptr;
    };
    if (part(0) == nullptr)
      return fields.wrong("process_group", "a name and a description", *group);
    made->group = cut_text(part(0)->text);
    if (part(1) != nullptr) made->description = cut_text(part(1)->text);
  }

  // "nccl:all_reduce", "nccl:send 0->3", "nccl:recv 3<-0": the operation, and the other end.
  static void name_of(const std::string& name, FlightOperation* made) {
    const std::size_t colon = name.find(':');
    const std::string_view behind =
        std::string_view(name).substr(colon == std::string::npos ? 0 : colon + 1);
    const std::size_t blank = behind.find(' ');
    made->operation = std::string(behind.substr(0, blank));
    const bool sends = made->operation == "send", receives = made->operation == "recv";
    made->point_to_point = sends || receives;
    if (blank == std::string_view::npos || !made->point_to_point) return;
    Cursor cursor(behind.substr(blank + 1));
    std::int64_t self = 0, other = 0;
    if (cursor.digits(1, 9, &self) && cursor.literal(sends ? "->" : "<-") &&
        cursor.digits(1, 9, &other) && cursor.done()) {
      made->peer = static_cast<std::uint32_t>(other);
    }
  }

  // "4096x1x5120, 16"; elements of all together go to `elements`.
  std::string sizes(Fields& fields, std::string_view name, std::optional<std::int64_t>* elements) {
    const PlainValue* list = fields.list(name);
    if (list == nullptr) return "";
    std::string out;
    std::int64_t all = 0;
    bool countable = true;
    for (const std::uint32_t item : list->items) {
      const PlainValue& shape = data_.at(item);
      if (shape.kind != Kind::List) {
        fields.wrong(name, "lists of numbers", shape);
        return "";
      }
      if (!charge(1 + shape.items.size())) return "";
      std::int64_t product = 1;
      std::string text;
      for (const std::uint32_t length : shape.items) {
        const PlainValue& each = data_.at(length);
        if (each.kind != Kind::Integer || each.number < 0) {
          fields.wrong(name, "lists of numbers", each);
          return "";
        }
        countable = countable && !__builtin_mul_overflow(product, each.number, &product);
        if (text.size() < kLongestText)
          text += fmt::format("{}{}", text.empty() ? "" : "x", each.number);
      }
      countable = countable && !__builtin_add_overflow(all, product, &all);
      if (out.size() < kLongestText) out += fmt::format("{}{}", out.empty() ? "" : ", ", text);
    }
    if (elements != nullptr && countable) *elements = all;
    return cut_text(out);
  }

  std::string words(Fields& fields, std::string_view name) {
    const PlainValue* list = fields.list(name);
    if (list == nullptr) return "";
    std::string out;
    std::string_view last;
    if (!charge(list->items.size())) return "";
    for (const std::uint32_t item : list->items) {
      const PlainValue& each = data_.at(item);
      if (each.kind != Kind::Text) {
        fields.wrong(name, "a list of text", each);
        return "";
      }
      // Mostly all tensors are of one type.
      if (each.text == last || out.size() >= kLongestText) continue;
      last = each.text;
      out += fmt::format("{}{}", out.empty() ? "" : ", ", cut_text(each.text));
    }
    return cut_text(out);
  }

  // "train_step (train.py:88)"
  std::string innermost_frame(Fields& fields) {
    const PlainValue* frames = fields.list("frames");
    if (frames == nullptr || frames->items.empty()) return "";
    const PlainValue& first = data_.at(frames->items[0]);
    const PlainValue* function = data_.find(first, "name");
    const PlainValue* file = data_.find(first, "filename");
    const PlainValue* line = data_.find(first, "line");
    if (function == nullptr || function->kind != Kind::Text || file == nullptr ||
        file->kind != Kind::Text) {
      return "";
    }
    std::string out = cut_text(function->text) + " (" + cut_text(file->text);
    if (line != nullptr && line->kind == Kind::Integer) out += fmt::format(":{}", line->number);
    return out + ")";
  }

  // -- pg_status: number -> {last_enqueued_collective, ...}
  struct Status {
    std::optional<std::int64_t> enqueued, started, completed;
  };

  void statuses(const PlainValue& root) {
    const PlainValue* all = data_.find(root, "pg_status");
    if (all == nullptr || all->kind != Kind::Dictionary) return;
    std::map<std::int64_t, Status> by_id;
    for (std::size_t i = 0; i + 1 < all->items.size(); i += 2) {
      const PlainValue& key = data_.at(all->items[i]);
      const PlainValue& value = data_.at(all->items[i + 1]);
      const auto id = key.kind == Kind::Integer ? std::optional(key.number)
                      : key.kind == Kind::Text  ? read_integer(key.text)
                                                : std::nullopt;
      if (!id || value.kind != Kind::Dictionary || value.items.size() > 2 * kMostFields) {
        problem(fmt::format("pg_status: expected statuses by number, got {}", described(key)));
        continue;
      }
      Fields fields(data_, value, fmt::format("status {}", *id), &out_.problems);
      by_id[*id] = {fields.sequence("last_enqueued_collective"),
                    fields.sequence("last_started_collective"),
                    fields.sequence("last_completed_collective")};
    }
    for (const auto& [id, name] : names_of(by_id)) {
      FlightGroup& group = group_named(name);
      const Status& status = by_id.at(id);
      group.enqueued = status.enqueued;
      group.started = status.started;
      group.completed = status.completed;
    }
  }

  // Which group is a status about? Entries say both number and name. Of a group without entries
  // only this is known: the numbers count the groups of this process as they were made, and the
  // names count those of the job; a group gets its entry in either table when it is first used. So
  // between two that are known, as many numbers as names stand in the same order. Names that are no
  // numbers have no order, and nothing is concluded.
  std::map<std::int64_t, std::string> names_of(const std::map<std::int64_t, Status>& by_id) {
    std::map<std::int64_t, std::string> names;
    for (const auto& [id, name] : named_ids_) {
      if (by_id.contains(id)) names.emplace(id, name);
    }
    std::map<std::int64_t, std::string> by_number;
    for (const auto& [name, group] : out_.groups) {
      const auto number = read_integer(name);
      if (!number || !by_number.emplace(*number, name).second) return names;
    }
    std::vector<std::int64_t> ids, numbers;
    const auto settle = [&] {
      if (ids.size() == numbers.size()) {
        for (std::size_t i = 0; i < ids.size(); ++i)
          names.emplace(ids[i], by_number.at(numbers[i]));
      }
      ids.clear();
      numbers.clear();
    };
    const std::map<std::int64_t, std::string> known = names;
    auto number = by_number.begin();
    for (const auto& [id, status] : by_id) {
      const auto at = known.find(id);
      if (at == known.end()) {
        ids.push_back(id);
        continue;
      }
      const auto fixed = read_integer(at->second);
      for (; number != by_number.end() && number->first < fixed.value_or(INT64_MAX); ++number)
        numbers.push_back(number->first);
      if (number == by_number.end() || number->second != at->second)
        return known;  // In another order.
      ++number;
      settle();
    }
    for (; number != by_number.end(); ++number) numbers.push_back(number->first);
    settle();
    return names;
  }

  FlightGroup& group_named(const std::string& name) {
    FlightGroup& group = out_.groups[name];
    group.name = name;
    return group;
  }

  // What the entries show beyond the statuses. A status counts the sends and receives of its group
  // too, in a number of their own, and the last operation decides which of the two it tells: of a
  // group that shows such operations it says nothing about collectives, and where collectives are
  // open their own numbers count.
  void from_operations() {
    struct Seen {
      std::optional<std::int64_t> first_open, last_ended;
    };
    std::map<std::string, Seen> seen;
    for (const FlightOperation& each : out_.operations) {
      if (each.group.empty()) continue;
      FlightGroup& group = group_named(each.group);
      if (group.description.empty()) group.description = each.description;
      group.point_to_point = group.point_to_point || each.point_to_point;
      if (each.point_to_point || !each.sequence) continue;
      Seen& of = seen[each.group];
      if (each.ended()) {
        of.last_ended = std::max(of.last_ended, each.sequence);
      } else if (!of.first_open || *each.sequence < *of.first_open) {
        of.first_open = each.sequence;
      }
    }
    for (auto& [name, group] : out_.groups) {
      const Seen& of = seen[name];
      if (group.point_to_point) group.enqueued = group.started = group.completed = std::nullopt;
      const auto last = last_collective_.find(name);
      if (last != last_collective_.end() &&
          (of.first_open || !group.enqueued || *group.enqueued < last->second)) {
        group.enqueued = last->second;
      }
      group.completed = std::max(group.completed, of.last_ended);
      if (of.first_open && group.completed && *group.completed >= *of.first_open)
        group.completed = *of.first_open > 0 ? std::optional(*of.first_open - 1) : std::nullopt;
    }
  }

  const PlainData& data_;
  FlightDump out_;
  std::size_t steps_ = 0;
  std::map<std::int64_t, std::string> named_ids_;        // From entries.
  std::map<std::string, std::int64_t> last_collective_;  // By group: entries of sends name it too.
};

}  // namespace

Result<FlightDump> read_dump(const PlainData& data) { return Reader(data).read(); }

}  // namespace attrib::evidence
