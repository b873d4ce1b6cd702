#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "service/tokens.h"
#include "tools/attribd/commands.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/files.h"
#include "tools/cli/say.h"

namespace attrib::attribd {

// The entry goes to standard output, so that `>> tokens.toml` adds it; the token itself to standard
// error, so that it does not end up in that file.
int token_command(const TokenFlags& flags) {
  const auto made = service::make_token(flags.name, flags.scopes);
  if (!made.ok()) {
    complain(made.error().message);
    return cli::kUsage;
  }
  // No entry of a token that nobody has seen.
  Status wrote = cli::write_stderr(
      fmt::format("token of {}, shown only now: {}\n", flags.name, made.value().token));
  if (wrote.ok()) wrote = cli::write_stdout(made.value().entry);
  if (wrote.ok()) return cli::kDone;
  complain(wrote.error().message);
  return cli::kRefused;
}

}  // namespace attrib::attribd
