#pragma once

#include <string>

#include "base/result.h"

namespace attrib::store {

// Copies the store's file `from`, as of one commit and while it is in use, to `to` (mode 0600),
// which must not be there. Until it is whole and on the disk it is called `to`.partial. The
// write-ahead log cannot be emptied meanwhile.
Status back_up(const std::string& from, const std::string& to);

}  // namespace attrib::store
