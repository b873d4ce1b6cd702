#include "tools/attribd/notify.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace attrib::attribd {

void notify(std::string_view state) {
  const char* name =
      std::getenv("NOTIFY_SOCKET");  // NOLINT(concurrency-mt-unsafe): nothing sets variables.
  if (name == nullptr || (name[0] != '/' && name[0] != '@')) return;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t length = std::strlen(name);
  if (length >= sizeof address.sun_path) return;
  std::memcpy(address.sun_path, name, length);
  if (name[0] == '@') address.sun_path[0] = '\0';  // A name that is no file.
  const int socket_number = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket_number < 0) return;
  (void)sendto(socket_number, state.data(), state.size(), MSG_NOSIGNAL,
               reinterpret_cast<const sockaddr*>(&address),  // NOLINT: as sockets are called
               static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length));
  close(socket_number);
}

void notify_reloading() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  notify(fmt::format("RELOADING=1\nMONOTONIC_USEC={}",
                     std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000));
}

}  // namespace attrib::attribd
