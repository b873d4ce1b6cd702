#pragma once

// The promise of one answer: hands it to the connection's thread, from whatever thread it comes, and holds the body's
// share of the budget until then. A promise that is dropped is answered with 500, so that no client waits for nothing.
// Private to the room.

#include <atomic>
#include <cstdint>
#include <memory>

#include "http/budget.h"
#include "http/hub.h"
#include "http/message.h"

namespace attrib::http {

Reply reply_to(std::shared_ptr<Gate> gate, std::weak_ptr<Connection> connection, std::uint64_t request,
               BudgetShare share);

}  // namespace attrib::http
