#include "evidence/flight_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "evidence/flight_dump.h"
#include "evidence/framing.h"
#include "evidence/lines.h"
#include "evidence/number_text.h"

namespace attrib::evidence {
namespace {

constexpr std::size_t kMostRuns = 64;

// "0-3,8,12-28/4": runs of equal steps, so that the groups of a large job stay short.
std::string runs_of(const std::vector<std::uint32_t>& ranks) {
  std::string out;
  std::size_t runs = 0;
  for (std::size_t first = 0; first < ranks.size(); ++runs) {
    if (runs == kMostRuns) return out + ",...";
    std::size_t last = first;
    const std::uint32_t step = first + 1 < ranks.size() ? ranks[first + 1] - ranks[first] : 1;
    while (last + 1 < ranks.size() && ranks[last + 1] - ranks[last] == step) ++last;
    // Two ranks are a run only if they are neighbours.
    if (last - first == 1 && step != 1) last = first;
    if (!out.empty()) out += ',';
    out += fmt::format("{}", ranks[first]);
    if (last != first) out += fmt::format("-{}", ranks[last]);
    if (last != first && step != 1) out += fmt::format("/{}", step);
    first = last + 1;
  }
  return out;
}

// The ranks that are in every group of the dump: whoever wrote it is one of them.
std::optional<std::set<std::uint32_t>> possible_ranks(const FlightDump& dump) {
  std::optional<std::set<std::uint32_t>> out;
  for (const auto& [name, group] : dump.groups) {
    if (group.ranks.empty()) continue;
    if (!out) {
      out.emplace(group.ranks.begin(), group.ranks.end());
      continue;
    }
    std::erase_if(*out, [&ranks = group.ranks](std::uint32_t rank) {
      return !std::binary_search(ranks.begin(), ranks.end(), rank);
    });
  }
  return out;
}

// The number at the end of a file's name, behind which PyTorch writes none: `_dump_3`,
// `nccl_trace_rank_3.json`.
std::optional<std::uint32_t> rank_of_name(std::string_view name) {
  constexpr std::array<std::string_view, 6> kEndings = {".gz",  ".zst",    ".json",
                                                        ".pkl", ".pickle", ".bin"};
  const auto cut = [&] {
    return std::any_of(kEndings.begin(), kEndings.end(), [&](std::string_view ending) {
      if (!name.ends_with(ending)) return false;
      name.remove_suffix(ending.size());
      return true;
    });
  };
  while (cut()) {
  }
  std::size_t digits = 0;
  while (digits < name.size() && digits < 9 && is_digit(name[name.size() - 1 - digits])) ++digits;
  if (digits == 0) return std::nullopt;
  const auto number = read_integer(name.substr(name.size() - digits));
  return number ? std::optional(static_cast<std::uint32_t>(*number)) : std::nullopt;
}

Result<std::uint32_t> rank_of(const FlightDump& dump, const Input& input) {
  const auto possible = possible_ranks(dump);
  std::optional<std::uint32_t> rank = input.log->rank;
  const bool given = rank.has_value();
  if (!given && possible && possible->size() == 1) return *possible->begin();
  if (!given) rank = rank_of_name(input.name);
  if (!rank)
    return Error{"whose dump is it? name the rank: --log flight_recorder@rankN=" + input.name};
  if (!possible || possible->contains(*rank)) return *rank;
  for (const auto& [name, group] : dump.groups) {
    if (group.ranks.empty() || std::binary_search(group.ranks.begin(), group.ranks.end(), *rank)) {
      continue;
    }
    return Error{fmt::format("rank {} is not in group `{}` ({}) of this dump: it is another rank's",
                             *rank, name, runs_of(group.ranks))};
  }
  return *rank;
}

// Operations that are worth keeping: all that had not ended, and of each group the last that had.
// What came before it says nothing more.
std::vector<const FlightOperation*> kept(const FlightDump& dump) {
  using Of = std::tuple<std::string_view, bool>;
  std::map<Of, const FlightOperation*> last;
  const auto of = [](const FlightOperation& each) { return Of(each.group, each.point_to_point); };
  for (const FlightOperation& each : dump.operations) {
    if (!each.ended()) continue;
    const auto [at, fresh] = last.try_emplace(of(each), &each);
    if (!fresh && each.sequence >= at->second->sequence) at->second = &each;
  }
  std::vector<const FlightOperation*> out;
  for (const FlightOperation& each : dump.operations) {
    if (!each.ended() || last.at(of(each)) == &each) out.push_back(&each);
  }
  return out;
}

// The number of the first operation of each group that had not ended: there the rank waits. The
// ring of the recorder may have lost it: then the status of the group names a lower one, and
// nothing is known.
std::map<std::tuple<std::string_view, bool>, std::int64_t> first_open(const FlightDump& dump) {
  std::map<std::tuple<std::string_view, bool>, std::int64_t> out;
  for (const FlightOperation& each : dump.operations) {
    if (each.ended() || !each.sequence || each.group.empty()) continue;
    auto [at, fresh] = out.try_emplace({each.group, each.point_to_point}, *each.sequence);
    if (!fresh) at->second = std::min(at->second, *each.sequence);
  }
  std::erase_if(out, [&](const auto& entry) {
    const auto& [name, point_to_point] = entry.first;
    const FlightGroup& group = dump.groups.at(std::string(name));
    return !point_to_point && group.completed && entry.second > *group.completed + 1;
  });
  return out;
}

class DumpWriter {
 public:
  DumpWriter(const Input& input, std::uint32_t index, std::uint32_t rank, const FlightDump& dump,
             Gathering* gathering)
      : input_(input), index_(index), rank_(rank), dump_(dump), gathering_(gathering) {}

  Status write() {
    const auto operations = kept(dump_);
    // A dump does not say when it was written: not before the last thing that it knows of.
    for (const FlightOperation& each : dump_.operations)
      written_ = std::max({written_, each.created, each.started, each.completed});
    line(operations);
    for (const auto& [name, group] : dump_.groups) this->group(group);
    const auto first = first_open(dump_);
    for (std::size_t i = 0; i < operations.size(); ++i) {
      if (i == kMaxDumpOperations) {
        return gathering_->reject(input_.name,
                                  fmt::format("{} operations to keep: expected at most {}",
                                              operations.size(), kMaxDumpOperations));
      }
      operation(*operations[i], first);
    }
    return Done{};
  }

 private:
  using Record = std::map<std::string, std::string>;

  void add(const std::string& id, const std::optional<std::int64_t>& at, std::string message,
           Record record) {
    Draft draft;
    Observation& o = draft.observation;
    o.source = model::SourceKind::FlightRecorder;
    o.node = input_.log->node;
    o.rank = rank_;
    o.file = input_.name;
    o.ids.push_back(fmt::format("{}:{}", input_.name, id));
    o.message = std::move(message);
    o.is_record = !record.empty();
    o.record = std::move(record);
    draft.seq = ++sequence_;
    draft.place = {index_, sequence_};
    if (at) {
      Stamp stamp;
      stamp.form = Stamp::Form::Absolute;
      stamp.at = std::min<model::Nanos>(*at, model::kForever);
      stamp.resolution = 1;
      draft.stamp = stamp;
    }
    frame(&draft);
    gathering_->drafts.push_back(std::move(draft));
  }

  // "flight recorder 2.9: rank 12 of 16, 13 groups, 32 operations, 32 not ended"
  void line(const std::vector<const FlightOperation*>& operations) {
    const auto open = std::count_if(operations.begin(), operations.end(),
                                    [](const FlightOperation* each) { return !each->ended(); });
    std::string world;
    for (const auto& [name, group] : dump_.groups) {
      if (group.description == "default_pg" && !group.ranks.empty())
        world = fmt::format(" of {}", group.ranks.size());
    }
    add("dump", written_,
        fmt::format("flight recorder {}: rank {}{}, {} groups, {} operations, {} not ended",
                    dump_.version, rank_, world, dump_.groups.size(), dump_.operations.size(),
                    open),
        {});
  }

  void group(const FlightGroup& group) {
    Record record = {{"kind", "group"}};
    about(group.name, group.description, &record);
    record["p2p"] = group.point_to_point ? "true" : "false";
    put("enqueued", group.enqueued, &record);
    put("started", group.started, &record);
    put("completed", group.completed, &record);
    add("group " + group.name, written_, "", std::move(record));
  }

  void operation(const FlightOperation& each,
                 const std::map<std::tuple<std::string_view, bool>, std::int64_t>& first) {
    Record record = {{"kind", "operation"}};
    if (!each.group.empty()) about(each.group, each.description, &record);
    record["type"] = each.point_to_point ? "p2p" : "collective";
    record["op"] = each.operation;
    record["state"] = each.state;
    put("seq", each.sequence, &record);
    const auto at = first.find({each.group, each.point_to_point});
    const bool is_first = at != first.end() && each.sequence == at->second && !each.ended();
    record["first"] = is_first ? "true" : "false";
    if (each.peer) {
      const auto group = dump_.groups.find(each.group);
      if (group != dump_.groups.end() && *each.peer < group->second.ranks.size())
        record["peer"] = fmt::format("{}", group->second.ranks[*each.peer]);
    }
    put("created_ns", each.created, &record);
    put("started_ns", each.started, &record);
    put("completed_ns", each.completed, &record);
    put("timeout_ms", each.timeout_ms, &record);
    put("elements", each.elements, &record);
    put("record_id", each.record_id, &record);
    put("input_sizes", each.input_sizes, &record);
    put("input_dtypes", each.input_types, &record);
    put("output_sizes", each.output_sizes, &record);
    put("output_dtypes", each.output_types, &record);
    put("frame", each.frame, &record);
    if (each.retired) record["retired"] = "true";
    add(fmt::format("{}", each.entry), each.created, "", std::move(record));
  }

  void about(const std::string& name, const std::string& description, Record* record) {
    (*record)["group"] = name;
    put("desc", description, record);
    const auto group = dump_.groups.find(name);
    if (group == dump_.groups.end() || group->second.ranks.empty()) return;
    const auto [runs, fresh] = runs_.try_emplace(name);
    if (fresh) runs->second = runs_of(group->second.ranks);
    (*record)["ranks"] = runs->second;
    (*record)["size"] = fmt::format("{}", group->second.ranks.size());
  }
  static void put(const std::string& key, const std::optional<std::int64_t>& value,
                  Record* record) {
    if (value) (*record)[key] = fmt::format("{}", *value);
  }
  static void put(const std::string& key, const std::string& value, Record* record) {
    if (!value.empty()) (*record)[key] = value;
  }

  const Input& input_;
  std::uint32_t index_;
  std::uint32_t rank_;
  const FlightDump& dump_;
  Gathering* gathering_;
  std::map<std::string, std::string> runs_;  // By group.
  std::uint64_t sequence_ = 0;
  std::optional<std::int64_t> written_;
};

Result<FlightDump> parse(std::string_view bytes) {
  if (bytes.size() > kMaxDumpBytes) {
    return Error{
        fmt::format("dump of {} bytes: expected at most {}", bytes.size(), kMaxDumpBytes)};
  }
  const bool pickle = begins_like_pickle(bytes);
  ATTRIB_TRY(const PlainData data,
             pickle ? read_pickle(bytes) : read_plain_json(bytes));
  return read_dump(data);
}

}  // namespace

bool is_flight_dump(std::string_view bytes) {
  if (begins_like_pickle(bytes)) return true;
  const std::string_view text = trimmed_blanks(bytes);
  const auto has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
  return text.starts_with('{') && (has("\"entries\"") || has("\"pg_config\""));
}

Status read_flight_dump(const Input& input, std::string_view bytes, std::uint32_t index,
                        Gathering* gathering) {
  RawSource source;
  source.status.kind = model::SourceKind::FlightRecorder;
  source.status.node = input.log->node;
  source.status.rank = input.log->rank;
  source.status.status = "failed";
  source.input = index;
  source.snapshot = true;
  const auto refuse = [&](const Error& error) {
    source.status.reason = error.message;
    gathering->raw_sources.push_back(source);
    return gathering->reject(input.name, error.message);
  };
  const auto dump = parse(bytes);
  if (!dump) return refuse(dump.error());
  const auto rank = rank_of(dump.value(), input);
  if (!rank) return refuse(rank.error());
  source.status.rank = rank.value();
  source.status.status = "ok";
  gathering->raw_sources.push_back(source);
  for (const std::string& problem : dump.value().problems) {
    if (auto status = gathering->reject(input.name, problem); !status) return status;
  }
  return DumpWriter(input, index, rank.value(), dump.value(), gathering).write();
}

}  // namespace attrib::evidence
