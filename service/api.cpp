#include "service/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <utility>

#include "service/documents.h"
#include "service/handlers.h"
#include "service/router.h"

namespace attrib::service {
namespace {

using Handle = void (*)(Core&, Exchange&);

// Null: it is answered at once.
Handle handler_of(Route route) {
  switch (route) {
    case Route::Readyz:
      return readyz;
    case Route::Reload:
      return reload;
    case Route::CreateAttributor:
      return v2_create;
    case Route::ListAttributors:
      return v2_list;
    case Route::GetAttributor:
      return v2_get;
    case Route::PatchAttributor:
      return v2_patch;
    case Route::DeleteAttributor:
      return v2_delete;
    case Route::PostObservations:
      return v2_post;
    case Route::ListPosts:
      return v2_list_posts;
    case Route::GetAttribution:
      return v2_attribution;
    case Route::Attribute:
      return v2_attribute;
    case Route::V1Create:
      return v1_create;
    case Route::V1Observe:
      return v1_observe;
    case Route::V1Attribution:
      return v1_attribution_of;
    case Route::Healthz:
    case Route::V2Healthz:
    case Route::MetricsPage:
    case Route::OpenApi:
    case Route::EvidenceSchema:
    case Route::VerdictSchema:
    case Route::ListRulesets:
      break;
  }
  return nullptr;
}

std::string_view word(Scope scope) {
  return scope == Scope::Read ? "read" : scope == Scope::Write ? "write" : "admin";
}

http::Response document(std::string_view text) {
  http::Response out;
  out.body = text;
  return out;
}

Problem unknown_route(const Match& match) {
  if (match.allow.empty()) return {404, "there is no such route"};
  Problem out{405, "expected one of the methods " + match.allow};
  out.headers.emplace_back("Allow", match.allow);
  return out;
}

// The first answer counts: who fails may have answered already.
http::Reply once(http::Reply reply) {
  auto answered = std::make_shared<std::atomic<bool>>(false);
  return [answered = std::move(answered), reply = std::move(reply)](http::Response response) {
    if (!answered->exchange(true)) reply(std::move(response));
  };
}

// Of ours, and no text that a client put into a path.
bool is_id(std::string_view text) {
  constexpr std::size_t kDigits = 32;
  return text.size() == kDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

class Service final : public Api {
 public:
  Service(Parts parts, const ApiOptions& options) : core_(std::move(parts), options) {}

  http::Admission admit(const http::RequestHead& head) override {
    http::Admission out;
    const Match match = match_route(head.method, head.path);
    std::optional<Problem> problem;
    if (match.info == nullptr) {
      problem = unknown_route(match);
    } else if (auto denied = access(head, match.info->scope)) {
      problem = std::move(denied);
    } else if (handler_of(match.info->route) != nullptr && core_.workers.full()) {
      problem = busy("too many requests are waiting (setting limits.requests)");
    } else {
      out.body_limit = std::min(match.info->body_bytes, core_.options.body_bytes);
      if (out.body_limit == core_.options.body_bytes) out.limit_name = "setting limits.body";
    }
    if (problem) out.refusal = to_response(*problem);
    return out;
  }

  void handle(http::Request request, http::Reply reply) override {
    Match match = match_route(request.head.method, request.head.path);
    if (match.info == nullptr) return reply(to_response(unknown_route(match)));
    const Handle handler = handler_of(match.info->route);
    if (handler == nullptr) return reply(at_once(match.info->route));
    const std::size_t bytes = request.body.size();
    auto exchange = std::make_shared<Exchange>(
        Exchange{std::move(request), std::move(match.id), once(std::move(reply))});
    const bool taken = core_.workers.post(
        Workers::Lane::Quick, [this, handler, exchange] { guarded(handler, *exchange); }, bytes);
    if (!taken) exchange->answer(busy("too many requests are waiting (setting limits.requests)"));
  }

  http::Response refuse(unsigned status, const std::string& detail) override {
    Problem problem{status, detail};
    if (status == 429 || status == 503) problem.headers.emplace_back("Retry-After", "1");
    return to_response(problem);
  }

  void answered(const http::RequestHead* head, unsigned status, std::size_t bytes_in,
                std::size_t bytes_out, std::chrono::nanoseconds took,
                std::string_view reason) override {
    const Match match = head == nullptr ? Match{} : match_route(head->method, head->path);
    const std::string_view route = match.info == nullptr ? "none" : match.info->pattern;
    const std::string_view method = match.info == nullptr ? "none" : match.info->method;
    const double seconds = std::chrono::duration<double>(took).count();
    Metrics& metrics = *core_.parts.metrics;
    metrics.add(Metric::HttpRequests, 1, {route, method, fmt::format("{}", status)});
    metrics.observe(Metric::HttpSeconds, seconds, {route});
    metrics.add(Metric::HttpBytesIn, static_cast<double>(bytes_in));
    // What went well is in the metrics; a line for each of a surge of posts would cost more than it
    // tells.
    const Level level = status >= 500 ? Level::Error : status >= 400 ? Level::Info : Level::Debug;
    const std::string token =
        head == nullptr || status < 400
            ? std::string()
            : core_.parts.tokens->check(head->header("authorization"), Scope::Read).name;
    core_.parts.log->event(level, "request",
                           {{"route", std::string(route)},
                            {"attributor", is_id(match.id) ? match.id : std::string()},
                            {"method", std::string(method)},
                            {"status", std::uint64_t{status}},
                            {"bytes_in", std::uint64_t{bytes_in}},
                            {"bytes_out", std::uint64_t{bytes_out}},
                            {"seconds", seconds},
                            {"reason", std::string(reason)},
                            {"client", head == nullptr ? std::string() : head->peer},
                            {"token", token}});
  }

  void draining() override { core_.drains = true; }

 private:
  // A body that needs more memory than there is costs its own answer, not the server.
  void guarded(Handle handler, Exchange& exchange) {
    try {
      handler(core_, exchange);
    } catch (const std::exception&) {
      core_.parts.log->event(Level::Error, "handler_failed", {});
      exchange.answer({500, "the request could not be carried out"});
    }
  }

  std::optional<Problem> access(const http::RequestHead& head, Scope needed) {
    if (needed == Scope::None) return std::nullopt;
    const Access access = core_.parts.tokens->check(head.header("authorization"), needed);
    if (access.allowed) return std::nullopt;
    if (access.known)
      return Problem{403, fmt::format("the token lacks scope {}", word(needed))};
    Problem out{401, "expected a valid token: Authorization: Bearer TOKEN"};
    out.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"attribd\"");
    return out;
  }

  http::Response at_once(Route route) {
    switch (route) {
      case Route::MetricsPage: {
        http::Response out = document(core_.parts.metrics->page());
        out.content_type = "text/plain; version=0.0.4; charset=utf-8";
        return out;
      }
      case Route::OpenApi:
        return document(openapi_document());
      case Route::EvidenceSchema:
        return document(evidence_schema());
      case Route::VerdictSchema:
        return document(verdict_schema());
      case Route::ListRulesets:
        return rulesets_page(core_);
      default:
        return document("{\"status\":\"ok\"}\n");
    }
  }

  Core core_;
};

}  // namespace

std::unique_ptr<Api> Api::make(Parts parts, ApiOptions options) {
  return std::make_unique<Service>(std::move(parts), options);
}

}  // namespace attrib::service
