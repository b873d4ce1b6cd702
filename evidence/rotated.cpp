#include "evidence/rotated.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "evidence/cursor.h"
#include "evidence/framing.h"
#include "evidence/parts.h"
#include "evidence/peeked.h"

namespace attrib::evidence {
namespace {

using Form = RotatedName::Form;

struct File {
  const Input* input = nullptr;
  std::size_t at = 0;  // In the list that was given.
  RotatedName name;
};

// Two digits of a date, perhaps behind a separator.
bool two_digits(Cursor& cursor, std::string_view separators, std::int64_t most, std::string* out) {
  Cursor ahead = cursor;
  if (!ahead.done() && separators.find(ahead.peek()) != std::string_view::npos) ahead.skip(1);
  std::int64_t value = 0;
  if (!ahead.digits(2, 2, &value) || value > most) return false;
  *out += fmt::format("{:02}", value);
  cursor = ahead;
  return true;
}

// 20260518, 2026051808, 2026-05-18, 20260518-083105, 2026-05-18_08-31, 20260518-1779093065: its
// digits, if that is all of `text`.
std::optional<std::string> read_date(std::string_view text) {
  Cursor cursor(text);
  std::int64_t year = 0;
  if (!cursor.digits(4, 4, &year) || year < 1970 || year > 2100) return std::nullopt;
  std::string out = fmt::format("{}", year);
  constexpr std::int64_t kMonths = 12, kDays = 31, kHours = 24, kMinutes = 60;
  if (!two_digits(cursor, "-", kMonths, &out) || !two_digits(cursor, "-", kDays, &out))
    return std::nullopt;
  // The second of the epoch.
  constexpr std::size_t kEpochDigits = 10;
  const std::string_view rest = cursor.rest();
  if (rest.size() == kEpochDigits + 1 && rest.front() == '-' &&
      std::all_of(rest.begin() + 1, rest.end(), is_digit))
    return out + std::string(rest.substr(1));
  if (two_digits(cursor, "-_T.", kHours, &out)) {
    while (!cursor.done() && two_digits(cursor, "-:_", kMinutes, &out)) continue;
  }
  return cursor.done() ? std::optional(out) : std::nullopt;
}

// Before a date or number at least one character of a file's name must stand.
bool names_file(std::string_view base) { return !base.empty() && base.back() != '/'; }

bool read_numbered(std::string_view name, RotatedName* out) {
  constexpr std::size_t kMostDigits = 5;
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || !names_file(name.substr(0, dot))) return false;
  Cursor cursor(name.substr(dot + 1));
  std::int64_t number = 0;
  if (!cursor.digits(1, kMostDigits, &number) || !cursor.done()) return false;
  out->form = Form::Numbered;
  out->number = static_cast<std::uint32_t>(number);
  out->base = std::string(name.substr(0, dot));
  return true;
}

bool read_dated(std::string_view name, RotatedName* out) {
  // The longest text that is a date: one with a time has separators inside it.
  const std::size_t slash = name.rfind('/');
  for (std::size_t at = slash == std::string_view::npos ? 1 : slash + 2; at < name.size(); ++at) {
    if (name[at] != '-' && name[at] != '.') continue;
    const auto date = read_date(name.substr(at + 1));
    if (!date) continue;
    out->form = Form::Dated;
    out->date = *date;
    out->base = std::string(name.substr(0, at));
    return true;
  }
  return false;
}

std::string_view without_packing(std::string_view name) {
  for (const std::string_view end : {".gz", ".zst"}) {
    if (name.ends_with(end) && names_file(name.substr(0, name.size() - end.size())))
      name.remove_suffix(end.size());
  }
  return name;
}

bool is_packed(const Input& input) { return without_packing(input.name) != input.name; }

bool older(const File& a, const File& b) {
  const auto key = [](const File& f) {
    return std::tuple(f.name.form == Form::Current, UINT32_MAX - f.name.number,
                      std::string_view(f.name.date), is_packed(*f.input));
  };
  return key(a) < key(b);
}

bool same_place(const File& a, const File& b) {
  return a.name.form == b.name.form && a.name.number == b.name.number && a.name.date == b.name.date;
}

bool has_extension(std::string_view path) {
  return path.substr(path.rfind('/') + 1).find('.', 1) != std::string_view::npos;
}

// Do these names show a set?
bool is_set(const std::vector<File>& files) {
  std::size_t current = 0, numbered = 0, dated = 0;
  bool zero = false, one = false;
  for (const File& file : files) {
    const RotatedName& name = file.name;
    current += name.form == Form::Current ? 1 : 0;
    numbered += name.form == Form::Numbered ? 1 : 0;
    dated += name.form == Form::Dated ? 1 : 0;
    zero = zero || (name.form == Form::Numbered && name.number == 0);
    one = one || (name.form == Form::Numbered && name.number == 1);
  }
  if (numbered > 0) return dated == 0 && current > 0 && one && !zero;
  return dated > 0 && (current > 0 || (dated > 1 && has_extension(files.front().name.base)));
}

// The first stamp of a file, of those that can be compared without knowing more.
Result<std::optional<Stamp>> first_stamp(const Input& input) {
  constexpr std::size_t kHead = std::size_t{16} << 10U;
  ATTRIB_TRY(std::unique_ptr<ByteSource> opened, open_input(input));
  Peeked source(std::move(opened));
  ATTRIB_TRY(std::string_view head, source.peek(kHead));
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find('\n'));
    head.remove_prefix(std::min(head.size(), line.size() + 1));
    Draft draft;
    draft.observation.source = input.log->kind;
    draft.observation.message = escape_invalid_utf8(line);
    frame(&draft);
    if (!draft.stamp) continue;
    const bool comparable =
        draft.stamp->form == Stamp::Form::Absolute || draft.stamp->form == Stamp::Form::Local;
    return comparable ? draft.stamp : std::nullopt;
  }
  return std::optional<Stamp>();
}

// Does an older file begin later than the next one?
Result<bool> contradicted(const std::vector<File>& files) {
  std::optional<Stamp> before;
  for (const File& file : files) {
    ATTRIB_TRY(const std::optional<Stamp> here, first_stamp(*file.input));
    if (before && here && before->form == here->form && before->at > here->at) return true;
    if (here) before = here;
  }
  return false;
}

Status drop_packed_twins(std::vector<File>* files, Gathering* gathering) {
  std::vector<File> kept;
  for (File& file : *files) {
    if (kept.empty() || !same_place(kept.back(), file)) {
      kept.push_back(std::move(file));
    } else if (kept.back().input->name != file.input->name ||
               kept.back().input->bytes != file.input->bytes) {
      const auto text = fmt::format("the same file as {}: left out", kept.back().input->name);
      if (auto status = gathering->reject(file.input->name, text); !status) return status;
    }
  }
  *files = std::move(kept);
  return Done{};
}

Input joined(const std::vector<File>& files) {
  Input out;
  out.name = files.front().name.base;
  out.log = files.front().input->log;
  out.log->path = out.name;
  for (std::size_t i = 0; i < files.size(); ++i) {
    InputPart part{files[i].input, ""};
    const RotatedName& name = files[i].name;
    if (i > 0 && files[i - 1].name.form == Form::Numbered && files[i - 1].name.number > name.number + 1)
      part.missing_before = fmt::format("{}.{}", name.base, name.number + 1);
    out.parts.push_back(std::move(part));
  }
  return out;
}

}  // namespace

RotatedName read_rotated_name(std::string_view name) {
  name = without_packing(name);
  RotatedName out;
  if (read_numbered(name, &out) || read_dated(name, &out)) return out;
  out.base = std::string(name);
  return out;
}

Result<std::vector<const Input*>> join_rotated(const std::vector<const Input*>& inputs,
                                               std::deque<Input>* sets, Gathering* gathering) {
  std::vector<const Input*> out = inputs;
  using Key = std::tuple<std::string, model::SourceKind, std::string, std::optional<std::uint32_t>>;
  std::map<Key, std::vector<File>> groups;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Input& input = *inputs[i];
    if (!input.log || input.log->kind == model::SourceKind::FlightRecorder || input.name == "-")
      continue;
    RotatedName name = read_rotated_name(input.name);
    Key key(name.base, input.log->kind, input.log->node, input.log->rank);
    groups[std::move(key)].push_back({&input, i, std::move(name)});
  }
  for (auto& [key, files] : groups) {
    if (files.size() < 2 || !is_set(files)) continue;
    std::stable_sort(files.begin(), files.end(), older);
    ATTRIB_TRY(const bool wrong, contradicted(files));
    if (wrong) continue;
    for (const File& file : files) out[file.at] = nullptr;
    const std::size_t at = std::min_element(files.begin(), files.end(),
                                            [](const File& a, const File& b) { return a.at < b.at; })
                               ->at;
    if (auto status = drop_packed_twins(&files, gathering); !status) return status.error();
    sets->push_back(joined(files));
    out[at] = &sets->back();
  }
  std::erase(out, nullptr);
  return out;
}

}  // namespace attrib::evidence
