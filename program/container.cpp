#include "program/container.h"

#include <fmt/format.h>

#include <algorithm>

#include "program/codec.h"

namespace attrib::program {
namespace {

// As in PNG: a high byte, both line ends and an end of file show at once that a transfer mangled
// the bytes.
constexpr std::string_view kMagic("\x89RBC\r\n\x1a\n", 8);
// Version 3 did not say whether literals are looked for in any case, nor `keep last`; version 4 not `keep first`.
constexpr std::uint16_t kOldestVersion = 5;
constexpr std::uint16_t kMinimumReader = 5;
constexpr std::size_t kHeaderBytes = 32;
constexpr std::size_t kEntryBytes = 32;
constexpr std::size_t kDigestBytes = 8;
constexpr std::size_t kAlignment = 8;
// A newer container may have sections that this reader skips.
constexpr std::size_t kMaxSections = 64;

// The header's fields, by offset.
constexpr std::size_t kVersionAt = 8;
constexpr std::size_t kMajorAt = 10;
constexpr std::size_t kMinorAt = 12;
constexpr std::size_t kReaderAt = 14;
constexpr std::size_t kCountAt = 16;
constexpr std::size_t kZeroAt = 20;
constexpr std::size_t kSizeAt = 24;

std::size_t aligned(std::size_t n) { return (n + kAlignment - 1) / kAlignment * kAlignment; }

void put(std::string& out, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
}

std::uint64_t get(std::string_view in, std::size_t at, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(in[at + i])} << (8 * i);
  }
  return value;
}

std::string shortened(const Sha256& digest) {
  return {reinterpret_cast<const char*>(digest.data()), kDigestBytes};
}

std::size_t table_end(std::size_t sections) { return kHeaderBytes + sections * kEntryBytes; }

Error refuse(std::string_view where, std::size_t at, std::string_view what) {
  return Error{fmt::format("{}, byte {}: {}", where, at, what)};
}

std::optional<Error> check_versions(std::string_view bytes) {
  const auto reader = get(bytes, kReaderAt, 2);
  if (reader > kContainerVersion) {
    return refuse("header", kReaderAt,
                  fmt::format("container version {} needs a reader of version {}, this one is {}",
                              get(bytes, kVersionAt, 2), reader, kContainerVersion));
  }
  if (const auto major = get(bytes, kMajorAt, 2); major != kInstructionMajor) {
    return refuse("header", kMajorAt,
                  fmt::format("instruction set {}.{}, this reader has {}.{}", major,
                              get(bytes, kMinorAt, 2), kInstructionMajor, kInstructionMinor));
  }
  if (const auto version = get(bytes, kVersionAt, 2); version < kOldestVersion) {
    return refuse("header", kVersionAt,
                  fmt::format("container version {}, the oldest this reader knows is {}", version,
                              kOldestVersion));
  }
  return std::nullopt;
}

// Magic, versions, sizes and the digest of header and table.
std::optional<Error> check_header(std::string_view bytes, std::size_t file_size) {
  if (bytes.size() < kMagic.size() || bytes.substr(0, kMagic.size()) != kMagic) {
    return Error{"not a program: byte 0 does not start the mark of an .rbc file"};
  }
  if (bytes.size() < kHeaderBytes) {
    return refuse("header", bytes.size(), "the file ends in the header");
  }
  if (auto error = check_versions(bytes)) return error;
  const auto count = get(bytes, kCountAt, 4);
  if (count > kMaxSections) {
    return refuse("header", kCountAt, fmt::format("{} sections, at most {}", count, kMaxSections));
  }
  if (const auto size = get(bytes, kSizeAt, 8); size != file_size) {
    return refuse("header", kSizeAt,
                  fmt::format("the file should have {} bytes and has {}", size, file_size));
  }
  if (get(bytes, kZeroAt, 4) != 0) return refuse("header", kZeroAt, "reserved bytes are not zero");
  const std::size_t end = table_end(count);
  if (bytes.size() < end + kDigestBytes) {
    return refuse("section table", bytes.size(), "the file ends in the section table");
  }
  if (short_digest(bytes.substr(0, end)) != bytes.substr(end, kDigestBytes)) {
    return refuse("section table", end, "header and table do not fit their digest");
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_text(Section section) {
  constexpr std::array<std::string_view, kSections> kNames = {
      "manifest", "strings", "types", "patterns", "tables", "rules",
      "code",     "rows",    "spans", "sources",  "tests"};
  return kNames[static_cast<std::size_t>(section) - 1];
}

std::string short_digest(std::string_view bytes) { return shortened(sha256(bytes)); }

std::string pack_container(const Payloads& payloads) {
  std::string table, body;
  const std::size_t body_begin = table_end(kSections) + kDigestBytes;
  for (std::uint32_t i = 0; i < kSections; ++i) {
    put(table, i + 1, 4);
    put(table, 0, 4);
    put(table, body_begin + body.size(), 8);
    put(table, payloads[i].size(), 8);
    table += short_digest(payloads[i]);
    body += payloads[i];
    body.resize(aligned(body.size()), '\0');
  }
  std::string out(kMagic);
  put(out, kContainerVersion, 2);
  put(out, kInstructionMajor, 2);
  put(out, kInstructionMinor, 2);
  put(out, kMinimumReader, 2);
  put(out, kSections, 4);
  put(out, 0, 4);
  put(out, body_begin + body.size(), 8);
  out += table;
  out += short_digest(out);
  return out + body;
}

namespace {

enum class Scope : std::uint8_t { All, Runs };

// Digest and padding of a section that fills [view.offset, end) of `bytes`.
std::optional<Error> check_section(std::string_view bytes, std::uint64_t kind, std::size_t entry,
                                   std::size_t end, SectionView* view) {
  view->digest = sha256(view->bytes);
  if (shortened(view->digest) != bytes.substr(entry + 24, kDigestBytes)) {
    return refuse("section table", entry,
                  kind > kSections ? "section does not fit its digest"
                                   : fmt::format("section `{}` does not fit its digest",
                                                 to_text(static_cast<Section>(kind))));
  }
  const std::size_t padding = view->offset + view->bytes.size();
  if (bytes.substr(padding, end - padding).find_first_not_of('\0') != std::string_view::npos) {
    return refuse("padding", padding, "not zero");
  }
  return std::nullopt;
}

Result<Sections> unpack(std::string_view bytes, std::size_t file_size, Scope scope) {
  if (auto error = check_header(bytes, file_size)) return *error;
  const std::size_t count = get(bytes, kCountAt, 4);
  const bool newer = get(bytes, kVersionAt, 2) > kContainerVersion;
  Sections out;
  std::size_t expected = table_end(count) + kDigestBytes;
  std::uint64_t last_kind = 0;
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = kHeaderBytes + i * kEntryBytes;
    const auto kind = get(bytes, at, 4);
    const auto offset = get(bytes, at + 8, 8);
    const auto length = get(bytes, at + 16, 8);
    const auto bad = [&](std::string_view what) { return refuse("section table", at, what); };
    if (kind <= last_kind) return bad("sections are not in the order of their kinds");
    last_kind = kind;
    if (kind > kSections && !newer) return bad(fmt::format("unknown section kind {}", kind));
    if (get(bytes, at + 4, 4) != 0) return bad("reserved bytes are not zero");
    // Sections follow one another with no room between: none overlap, no byte is in none.
    if (offset != expected) return bad(fmt::format("section at byte {}, not {}", offset, expected));
    if (length > file_size - expected) return bad("section passes the end of the file");
    const std::size_t end = aligned(expected + length);
    if (end > file_size) return bad("section passes the end of the file");
    if (kind <= kSections) ++found;
    if (scope == Scope::All || is_for_runs(static_cast<Section>(kind))) {
      if (end > bytes.size()) return bad("section passes the bytes at hand");
      SectionView view{bytes.substr(expected, length), expected, {}};
      if (auto error = check_section(bytes, kind, at, end, &view)) return *error;
      if (kind <= kSections) out[kind - 1] = view;
    }
    expected = end;
  }
  if (expected != file_size)
    return refuse("section table", expected, "bytes after the last section");
  if (found != kSections) return refuse("section table", kHeaderBytes, "a section is missing");
  return out;
}

}  // namespace

Result<Sections> unpack_container(std::string_view bytes) {
  return unpack(bytes, bytes.size(), Scope::All);
}

Result<Sections> unpack_for_runs(std::string_view beginning, std::size_t size) {
  return unpack(beginning, size, Scope::Runs);
}

std::size_t bytes_for_runs(std::string_view head, std::size_t size) {
  if (head.size() < kHeaderBytes) return size;
  const auto count = get(head, kCountAt, 4);
  if (count > kMaxSections || head.size() < table_end(count)) return size;
  std::size_t end = table_end(count) + kDigestBytes;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = kHeaderBytes + i * kEntryBytes;
    if (!is_for_runs(static_cast<Section>(get(head, at, 4)))) break;
    const auto length = get(head, at + 16, 8);
    if (length > size) return size;
    end = aligned(end + length);
  }
  return std::min(end, size);
}

std::string with_repaired_digests(std::string bytes) {
  if (bytes.size() < kHeaderBytes) return bytes;
  const std::size_t count = get(bytes, kCountAt, 4);
  const std::size_t end = table_end(std::min(count, kMaxSections));
  if (count > kMaxSections || bytes.size() < end + kDigestBytes) return bytes;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = kHeaderBytes + i * kEntryBytes;
    const auto offset = get(bytes, at + 8, 8);
    const auto length = get(bytes, at + 16, 8);
    if (offset > bytes.size() || length > bytes.size() - offset) continue;
    const std::string digest = short_digest(std::string_view(bytes).substr(offset, length));
    bytes.replace(at + 24, kDigestBytes, digest);
  }
  bytes.replace(end, kDigestBytes, short_digest(std::string_view(bytes).substr(0, end)));
  return bytes;
}

}  // namespace attrib::program
