#pragma once

// How contents stand in the file: a zstd frame (level 1) with its checksum, which SQLite's pages do
// not have.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace attrib::store {

std::string pack(std::string_view content);
// An Error: damaged, or not of `size` bytes. Allocates no more than `size`.
Result<std::string> unpack(std::string_view packed, std::uint64_t size);

}  // namespace attrib::store
