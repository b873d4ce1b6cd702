#pragma once

// Combinations of settings that would hand evidence to people who should not have it, found before anything is opened.

#include <string>
#include <vector>

#include "service/settings.h"

namespace attrib::service {

struct Safety {
  std::vector<std::string> refusals;  // Each with what to do.
  std::vector<std::string> warnings;
};

// Refused: addresses that are not loopback without a token file; a certificate without its key and the reverse; a key
// that everybody may read or others may write. (A token file that others may write to is refused by Tokens::load.)
// Warned of: tokens that travel unencrypted; a token file or a database that everybody may read.
Safety inspect(const Settings& settings);

}  // namespace attrib::service
