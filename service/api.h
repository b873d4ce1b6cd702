#pragma once

// What attribd answers: V2 (docs/openapi.json), V1 (the public client's, under /latest), and /healthz, /readyz,
// /metrics. Bodies are read and verdicts made on worker threads; the server's threads only route.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "http/server.h"
#include "service/log.h"
#include "service/metrics.h"
#include "service/rulesets.h"
#include "service/tokens.h"
#include "store/store.h"

namespace attrib::service {

struct ApiOptions {
  std::size_t body_bytes = std::size_t{16} << 20U;    // Of one request, decompressed.
  unsigned workers = 2;                               // Threads that read bodies and make verdicts.
  std::size_t waiting = 20'000;                       // Requests that wait for a worker; past it 429.
  std::size_t cache_bytes = std::size_t{64} << 20U;   // Of verdicts that need not be made again.
  std::size_t verdict_bytes = std::size_t{64} << 20U; // Evidence read at once by all verdicts being made.
  std::size_t observations = 500'000;                 // That one verdict may keep, about 3 kB each; past it 413.
  std::int64_t idle_time = std::int64_t{30} * 24 * 3600 * 1'000'000'000;  // As the store's: for `expires`.
};

class Api : public http::Handler {
 public:
  // All must outlive it. `reload` is what POST /v2/admin/reload does: programs, tokens, TLS.
  struct Parts {
    store::Store* store = nullptr;
    Rulesets* rulesets = nullptr;
    Tokens* tokens = nullptr;
    Metrics* metrics = nullptr;
    Log* log = nullptr;
    std::function<Status()> reload;
  };
  static std::unique_ptr<Api> make(Parts parts, ApiOptions options);
  // From now on /readyz says 503: the server drains.
  virtual void draining() = 0;
};

}  // namespace attrib::service
