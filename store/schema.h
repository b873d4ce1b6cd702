#pragma once

// The store's file: made, recognised, and brought to the present schema.

#include <span>
#include <string>

#include "base/result.h"
#include "store/sqlite.h"

namespace attrib::store {

// Each brings a file from the version before it (its place in the list) to its own. Append only:
// files of every version are out there.
struct Migration {
  const char* sql;
};
std::span<const Migration> migrations();

// Makes `path` (mode 0600, empty) if it is not there.
Status make_file(const std::string& path);

// Is what the connection reads a store? An Error names `path`.
Status is_store(Connection& connection, const std::string& path);

// Sets the connection up for writing and runs the migrations that are missing, all in one
// transaction. Refuses, with the file untouched, what is not a store, is newer than the list, or is
// damaged. An Error names `path`.
Status prepare(Connection& connection, const std::string& path, std::span<const Migration> list);

}  // namespace attrib::store
