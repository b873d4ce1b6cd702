#pragma once

// What the handlers of all routes share.

#include <atomic>
#include <memory>
#include <string>

#include "http/server.h"
#include "service/api.h"
#include "service/verdicts.h"
#include "service/workers.h"

namespace attrib::service {

struct Core {
  Core(Api::Parts the_parts, const ApiOptions& the_options)
      : parts(std::move(the_parts)),
        options(the_options),
        verdicts(parts, options, &workers),
        workers(options.workers, options.waiting) {}

  Api::Parts parts;
  ApiOptions options;
  Verdicts verdicts;
  Workers workers;  // Ends first: its jobs use the rest.
  std::atomic<bool> drains = false;
};

// One request on its way. What is handed to the store must hold `parts`, not the Core, which may be
// gone by then.
struct Exchange {
  http::Request request;
  std::string id;  // Of the route's pattern.
  http::Reply reply;

  void answer(const Problem& problem) const { reply(to_response(problem)); }
};

}  // namespace attrib::service
