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
  Spans,
  Sources,
  Tests,
};
constexpr std::uint32_t kSections = 10;
std::string_view to_text(Section section);

// Payloads, by section number from 1.
using Payloads = std::array<std::string, kSections>;

// Does the program's digest cover it? All but what is there for people.
constexpr bool is_meaning(Section section) {
  return section != Section::Spans && section != Section::Sources && section != Section::Tests;
}

std::string pack_container(const Payloads& payloads);

struct SectionView {
  std::string_view bytes;
  std::size_t offset = 0;  // In the file.
};

// The sections of a well formed container, by section number from 1, digests checked.
Result<std::array<SectionView, kSections>> unpack_container(std::string_view bytes);

// First 8 bytes of the SHA-256.
std::string short_digest(std::string_view bytes);

}  // namespace attrib::program
