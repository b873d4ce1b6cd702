#pragma once

// Combinations of settings that would hand evidence to people who should not have it, found before anything is opened.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "http/server.h"
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

// Of a certificate in `file` that is not valid at `now`, or ends within 14 days: with its dates. Else nothing.
std::optional<std::string> certificate_warning(const std::string& file, const http::Validity& valid,
                                               std::chrono::system_clock::time_point now);

}  // namespace attrib::service
