#pragma once

#include <string_view>

namespace attrib::attribd {

// Tells the service manager, by the datagram that systemd's sd_notify(3) sends: "READY=1", "STOPPING=1", ... Nothing
// without NOTIFY_SOCKET; never waits.
void notify(std::string_view state);
// "RELOADING=1" with the clock that it must carry.
void notify_reloading();

}  // namespace attrib::attribd
