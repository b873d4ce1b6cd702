#include "program/container.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/digest.h"
#include "program/codec.h"

namespace attrib::program {
namespace {

// As in PNG: a high byte, both line ends and an end of file show at once that a transfer mangled
// the bytes.
constexpr std::string_view kMagic("\x89RBC\r\n\x1a\n", 8);
constexpr std::uint16_t kOldestVersion = 2;  // Version 1 kept one literal an alternative.
constexpr std::uint16_t kMinimumReader = 2;
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
std::optional<Error> check_header(std::string_view bytes) {
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
  if (const auto size = get(bytes, kSizeAt, 8); size != bytes.size()) {
    return refuse("header", kSizeAt,
                  fmt::format("the file should have {} bytes and has {}", size, bytes.size()));
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
      "manifest", "strings", "types", "patterns", "tables",
      "rules",    "code",    "spans", "sources",  "tests"};
  return kNames[static_cast<std::size_t>(section) - 1];
}

std::string short_digest(std::string_view bytes) {
  const std::string hex = sha256_hex(bytes);
  const auto nibble = [&](std::size_t i) {
    return hex[i] <= '9' ? hex[i] - '0' : hex[i] - 'a' + 10;
  };
  std::string out;
  for (std::size_t i = 0; i < kDigestBytes; ++i) {
    out += static_cast<char>(nibble(2 * i) * 16 + nibble(2 * i + 1));
  }
  return out;
}

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

Result<std::array<SectionView, kSections>> unpack_container(std::string_view bytes) {
  if (auto error = check_header(bytes)) return *error;
  const std::size_t count = get(bytes, kCountAt, 4);
  const bool newer = get(bytes, kVersionAt, 2) > kContainerVersion;
  std::array<SectionView, kSections> out;
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
    if (length > bytes.size() - expected) return bad("section passes the end of the file");
    const std::size_t end = aligned(expected + length);
    if (end > bytes.size()) return bad("section passes the end of the file");
    const std::string_view payload = bytes.substr(expected, length);
    if (short_digest(payload) != bytes.substr(at + 24, kDigestBytes)) {
      return bad(kind > kSections ? "section does not fit its digest"
                                  : fmt::format("section `{}` does not fit its digest",
                                                to_text(static_cast<Section>(kind))));
    }
    const std::string_view padding = bytes.substr(expected + length, end - expected - length);
    if (padding.find_first_not_of('\0') != std::string_view::npos) {
      return refuse("padding", expected + length, "not zero");
    }
    if (kind <= kSections) {
      out[kind - 1] = {payload, expected};
      ++found;
    }
    expected = end;
  }
  if (expected != bytes.size())
    return refuse("section table", expected, "bytes after the last section");
  if (found != kSections) return refuse("section table", kHeaderBytes, "a section is missing");
  return out;
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
