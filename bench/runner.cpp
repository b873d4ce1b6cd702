// Runs a command and writes what it cost as one line of JSON to a file: processor time of all its
// threads, peak memory and exit status.
//
//   runner REPORT STDIN STDOUT COMMAND [ARGUMENT...]
//
// A program of its own because the peak that the kernel reports for a child begins with the size of
// the process that started it: a Python parent would add its 15 MB to every figure. `posix_spawn` for the
// same reason. STDIN may be `-`: inherited.

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fputs("usage: runner REPORT STDIN STDOUT COMMAND [ARGUMENT...]\n", stderr);
    return 3;
  }
  const int out = open(argv[3], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  const bool inherit = std::strcmp(argv[2], "-") == 0;
  const int in = inherit ? STDIN_FILENO : open(argv[2], O_RDONLY | O_CLOEXEC);
  if (out < 0 || in < 0) {
    std::perror("runner");
    return 2;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  if (!inherit) posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  pid_t child = -1;
  if (const int code = posix_spawnp(&child, argv[4], &actions, nullptr, argv + 4, environ);
      code != 0) {
    std::fprintf(stderr, "runner: %s: %s\n", argv[4], std::strerror(code));
    return 127;
  }
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) != child) {
    std::perror("runner");
    return 2;
  }
  std::FILE* report = std::fopen(argv[1], "w");
  if (report == nullptr) {
    std::perror(argv[1]);
    return 2;
  }
  std::fprintf(report, "{\"user\": %.6f, \"system\": %.6f, \"peak_kb\": %ld, \"exit\": %d}\n",
               seconds(usage.ru_utime), seconds(usage.ru_stime), usage.ru_maxrss,
               WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  return std::fclose(report) == 0 ? 0 : 2;
}
