#include "program/codec.h"

#include <fmt/format.h>

#include "base/digest.h"
#include "program/layout.h"

namespace attrib::program {
namespace {

// References may copy texts to this many bytes for each byte of the file, and a floor for small
// files.
constexpr std::uint64_t kTextGrowth = 16;
constexpr std::uint64_t kTextFloor = std::uint64_t{1} << 20U;

constexpr Section section_at(std::uint32_t index) { return static_cast<Section>(index + 1); }

Payloads payloads(const Program& program) {
  StringPool pool;
  for (std::uint32_t i = 0; i < kSections; ++i) {
    Writer gather(pool, true);
    io_section(gather, section_at(i), program);
  }
  pool.number();
  Payloads out;
  for (std::uint32_t i = 0; i < kSections; ++i) {
    Writer writer(pool, false);
    io_section(writer, section_at(i), program);
    out[i] = section_at(i) == Section::Strings ? pool.bytes() : writer.take();
  }
  return out;
}

Result<std::vector<std::string_view>> read_strings(const SectionView& view) {
  const auto refuse = [&](std::string_view what) {
    return Error{fmt::format("section `strings`, byte {}: {}", view.offset, what)};
  };
  const auto u32 = [&](std::size_t at) {
    return Reader::read<std::uint32_t>(view.bytes.data() + at);
  };
  if (view.bytes.size() < 4) return refuse("the section ends here");
  const std::size_t count = u32(0);
  if (count > (view.bytes.size() - 4) / 4) {
    return refuse(fmt::format("{} strings in {} bytes", count, view.bytes.size()));
  }
  std::vector<std::string_view> out;
  out.reserve(count);
  std::size_t at = 4 + 4 * count;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t size = u32(4 + 4 * i);
    if (size > view.bytes.size() - at) return refuse(fmt::format("string {} passes the end", i));
    out.push_back(view.bytes.substr(at, size));
    at += size;
    // One order makes one file of one program.
    if (i > 0 && out[i - 1] >= out[i]) return refuse(fmt::format("string {} is out of order", i));
  }
  if (at != view.bytes.size())
    return refuse(fmt::format("{} bytes too many", view.bytes.size() - at));
  return out;
}

// A digest of digests: each byte of a file goes through SHA-256 once when it is loaded.
std::string digest_of(const Sections& sections) {
  std::string meaning;
  for (std::uint32_t i = 0; i < kSections; ++i) {
    if (!is_meaning(section_at(i))) continue;
    meaning += fmt::format("{} {} {}\n", to_text(section_at(i)), sections[i].bytes.size(),
                           to_hex(sections[i].digest));
  }
  return "sha256:" + sha256_hex(meaning);
}

// The sections before `end`.
Result<Program> decode(const Sections& sections, std::uint32_t end, std::size_t file_size) {
  ATTRIB_TRY(const auto strings,
             read_strings(sections[static_cast<std::size_t>(Section::Strings) - 1]));
  std::uint64_t text_budget = kTextFloor + kTextGrowth * file_size;
  Program out;
  for (std::uint32_t i = 0; i < end; ++i) {
    if (section_at(i) == Section::Strings) continue;
    Reader reader(section_at(i), sections[i], strings, text_budget);
    io_section(reader, section_at(i), out);
    if (auto error = reader.finish()) return *error;
  }
  return out;
}

}  // namespace

std::string encode(const Program& program) { return pack_container(payloads(program)); }

Result<Program> decode(std::string_view bytes, std::string* program_digest) {
  ATTRIB_TRY(const Sections sections, unpack_container(bytes));
  if (program_digest != nullptr) *program_digest = digest_of(sections);
  return decode(sections, kSections, bytes.size());
}

Result<Program> decode_for_runs(std::string_view beginning, std::size_t size,
                                std::string* program_digest) {
  ATTRIB_TRY(const Sections sections, unpack_for_runs(beginning, size));
  *program_digest = digest_of(sections);
  return decode(sections, static_cast<std::uint32_t>(Section::Rows), beginning.size());
}

std::string digest(const Program& program) {
  const Payloads made = payloads(program);
  Sections sections;
  for (std::uint32_t i = 0; i < kSections; ++i) sections[i] = {made[i], 0, sha256(made[i])};
  return digest_of(sections);
}

}  // namespace attrib::program
