#pragma once

// The container around a program's sections: header, section table, digests.
// docs/program-format.md.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/result.h"

namespace attrib::program {

enum class Section : std::uint32_t {
  Manifest = 1,
  Strings,
  Types,
  Patterns,
  Tables,
  Rules,
  Code,
  Rows,
  Spans,
  Sources,
  Tests,
};
constexpr std::uint32_t kSections = 11;
std::string_view to_text(Section section);

// Payloads, by section number from 1.
using Payloads = std::array<std::string, kSections>;

// Does the program's digest cover it? All but what is there for people.
constexpr bool is_meaning(Section section) { return section <= Section::Code; }
// Does a run need it? Those stand first in the file. `Rows` says where rows of tables come from,
// which a verdict quotes.
constexpr bool is_for_runs(Section section) { return section <= Section::Rows; }

std::string pack_container(const Payloads& payloads);

struct SectionView {
  std::string_view bytes;
  std::size_t offset = 0;  // In the file.
  Sha256 digest{};
};
using Sections = std::array<SectionView, kSections>;  // By section number from 1.

// The sections of a well formed container, digests checked.
Result<Sections> unpack_container(std::string_view bytes);

// How many bytes a file of `size` bytes that begins with `head` holds for runs; no more than
// `size`. A head of kHeadBytes is enough to tell.
constexpr std::size_t kHeadBytes = 4096;
std::size_t bytes_for_runs(std::string_view head, std::size_t size);

// The same as unpack_container() for the sections that a run needs, from the first bytes of a file
// of `size` bytes. The others are neither read nor checked, and empty.
Result<Sections> unpack_for_runs(std::string_view beginning, std::size_t size);

// First 8 bytes of the SHA-256.
std::string short_digest(std::string_view bytes);

}  // namespace attrib::program
