#include "model/type.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace attrib::model {
namespace {

constexpr auto kReaders = std::to_array<ReaderInfo>({
#define ATTRIB_READER(Enumerator, name, kind, pattern, sentence) \
  {Reader::Enumerator, name, ValueKind::kind, pattern, sentence},
#include "model/reader.def"
});

constexpr auto kKinds = std::to_array<std::string_view>({"nothing", "truth", "number", "word", "duration", "decimal",
                                                         "time", "entity", "set", "row", "count", "fact", "bag"});

// Characters of an entity's name in a line.
std::string_view entity_pattern(EntityKind kind) {
  switch (kind) {
    case EntityKind::Gpu: return info(Reader::Pci).pattern;
    case EntityKind::Rank: return "[0-9]{1,9}";
    case EntityKind::Path:
    case EntityKind::Mount: return info(Reader::PathName).pattern;
    case EntityKind::Node: return info(Reader::Host).pattern;
    default: return "[0-9A-Za-z._:/@-]+";
  }
}

std::string quote_meta(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\^$.|?*+()[]{}-").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::string_view name(ValueKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

const ReaderInfo& info(Reader reader) { return kReaders[static_cast<std::size_t>(reader)]; }

std::size_t reader_count() { return kReaders.size(); }

std::optional<Reader> parse_reader(std::string_view text) {
  for (const ReaderInfo& row : kReaders) {
    if (row.name == text && row.reader != Reader::Choice && row.reader != Reader::Entity) return row.reader;
  }
  return std::nullopt;
}

std::string to_text(const Type& type) {
  if (type.kind == ValueKind::Entity) {
    return std::string(entity_kind_names()[static_cast<std::size_t>(type.entity)]);
  }
  if (type.kind == ValueKind::Set) {
    return fmt::format("set of {}", entity_kind_names()[static_cast<std::size_t>(type.entity)]);
  }
  if (!type.words.empty()) return fmt::format("({})", fmt::join(type.words, " | "));
  if (info(type.reader).kind == type.kind) return std::string(info(type.reader).name);
  return std::string(name(type.kind));
}

std::string hole_pattern(const Type& type, Reader reader) {
  if (reader == Reader::Choice) {
    // Longest first, so that no word hides another that it begins.
    std::vector<std::string> words = type.words;
    std::sort(words.begin(), words.end(), [](const std::string& a, const std::string& b) {
      return a.size() != b.size() ? a.size() > b.size() : a < b;
    });
    for (std::string& each : words) each = quote_meta(each);
    return fmt::format("{}", fmt::join(words, "|"));
  }
  if (reader == Reader::Entity) return std::string(entity_pattern(type.entity));
  return std::string(info(reader).pattern);
}

}  // namespace attrib::model
