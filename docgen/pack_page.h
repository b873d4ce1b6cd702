#pragma once

// The pages of docs/packs/: what a pack reads, what it says and what it explains.

#include <string>

#include "docgen/library.h"

namespace attrib::docgen {

// docs/packs/PACK.md
std::string pack_page(const Library& library, const std::string& pack);
// docs/packs/README.md
std::string packs_index(const Library& library);

}  // namespace attrib::docgen
