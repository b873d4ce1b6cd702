#include "store/backup.h"

#include <fmt/format.h>

#include "tools/attribd/commands.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/files.h"

namespace attrib::attribd {

int backup_command(const BackupFlags& flags) {
  const Status done = store::back_up(flags.from, flags.to);
  if (done.ok()) return cli::kDone;
  complain(done.error().message);
  return cli::kRefused;
}

}  // namespace attrib::attribd
