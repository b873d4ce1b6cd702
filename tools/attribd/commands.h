#pragma once

// The commands of attribd; each returns an exit code (tools/cli/exit_code.h).

#include <string>
#include <vector>

#include "service/settings.h"

namespace attrib::attribd {

// Serves until SIGTERM or SIGINT.
int serve(const service::Settings& settings);

// Reads all that serve() would read and opens none of the addresses and no database.
int check_config(const service::Settings& settings);

struct TokenFlags {
  std::string name;
  std::string scopes = "read";
};
int token_command(const TokenFlags& flags);

struct BackupFlags {
  std::string from, to;
};
int backup_command(const BackupFlags& flags);

// "attribd: text" on standard error, a line for each line of it.
void complain(const std::string& text);

}  // namespace attrib::attribd
