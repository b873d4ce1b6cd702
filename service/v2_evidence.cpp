// V2: observations in, verdicts out.

#include <fmt/format.h>

#include <utility>

#include "service/handlers.h"
#include "service/ingest.h"
#include "service/json.h"
#include "service/json_body.h"
#include "service/post.h"
#include "service/ruleset_of.h"

namespace attrib::service {
namespace {

std::string query(const http::RequestHead& head, const std::string& name) {
  const auto found = head.query.find(name);
  return found == head.query.end() ? std::string() : found->second;
}

// `format` of the query, else what the client accepts.
std::variant<Shape, Problem> shape_of(const http::RequestHead& head) {
  Shape out;
  const std::string format = query(head, "format");
  const auto asked = format.empty() ? accepted_format(head.header("accept")) : parse_format(format);
  if (!asked) {
    constexpr std::string_view kKnown = "expected json, text, markdown, dot or mermaid";
    if (format.empty()) return Problem{406, fmt::format("Accept: {}", kKnown)};
    return Problem{422, fmt::format("query `format`: {}", kKnown), "format"};
  }
  out.format = *asked;
  const std::string explain = query(head, "explain");
  if (explain != "" && explain != "0" && explain != "1")
    return Problem{422, "query `explain`: expected 0 or 1", "explain"};
  out.explain = explain == "1";
  return out;
}

http::Response printed_response(const Printed& printed, Shape shape) {
  http::Response out;
  out.status = printed.text == nullptr ? 304 : 200;
  out.content_type = content_type(shape.format);
  if (printed.text != nullptr) out.body = *printed.text;
  out.headers.emplace_back("Attrib-Program", printed.digest);
  return out;
}

}  // namespace

void v2_post(Core& core, Exchange& exchange) {
  if (const auto problem = wrong_media_type(exchange.request.head))
    return exchange.answer(*problem);
  Ingest ingest = ingest_evidence(exchange.request.body);
  exchange.request.body = std::string();
  store_post(core, exchange, "v2", std::move(ingest));
}

void v2_attribution(Core& core, Exchange& exchange) {
  const http::RequestHead& head = exchange.request.head;
  const auto asked = shape_of(head);
  if (const auto* problem = std::get_if<Problem>(&asked)) return exchange.answer(*problem);
  const Shape shape = std::get<Shape>(asked);
  core.verdicts.of_session(exchange.id, shape, std::string(head.header("if-none-match")),
                           [shape, reply = exchange.reply](const PrintedOrProblem& outcome) {
                             if (const auto* problem = std::get_if<Problem>(&outcome))
                               return reply(to_response(*problem));
                             const auto& printed = std::get<Printed>(outcome);
                             http::Response out = printed_response(printed, shape);
                             out.headers.emplace_back("ETag", printed.etag);
                             out.headers.emplace_back("Cache-Control", "no-cache");
                             out.headers.emplace_back("Vary", "Accept");
                             reply(std::move(out));
                           });
}

void v2_attribute(Core& core, Exchange& exchange) {
  const http::RequestHead& head = exchange.request.head;
  if (const auto problem = wrong_media_type(head)) return exchange.answer(*problem);
  const auto asked = shape_of(head);
  if (const auto* problem = std::get_if<Problem>(&asked)) return exchange.answer(*problem);
  auto ruleset = find_ruleset(*core.parts.rulesets, query(head, "ruleset"), "ruleset");
  if (const auto* problem = std::get_if<Problem>(&ruleset)) return exchange.answer(*problem);
  Ingest ingest = ingest_evidence(exchange.request.body);
  exchange.request.body = std::string();
  if (const auto* problem = std::get_if<Problem>(&ingest)) return exchange.answer(*problem);
  auto& read = std::get<Ingested>(ingest);
  const Shape shape = std::get<Shape>(asked);
  core.verdicts.of_texts(std::get<std::shared_ptr<const Ruleset>>(std::move(ruleset)),
                         std::move(read.header), std::move(read.content), read.accepted, shape,
                         [shape, accepted = read.accepted, rejected = read.rejected,
                          reply = exchange.reply](const PrintedOrProblem& outcome) {
                           if (const auto* problem = std::get_if<Problem>(&outcome))
                             return reply(to_response(*problem));
                           http::Response out = printed_response(std::get<Printed>(outcome), shape);
                           out.headers.emplace_back("Attrib-Accepted", fmt::format("{}", accepted));
                           out.headers.emplace_back("Attrib-Rejected", fmt::format("{}", rejected));
                           reply(std::move(out));
                         });
}

http::Response rulesets_page(const Core& core) {
  Json list = Json::array();
  for (const auto& each : core.parts.rulesets->all()) {
    Json item;
    item["name"] = each->name;
    item["program"]["digest"] = each->digest;
    list.push_back(std::move(item));
  }
  Json body;
  body["rulesets"] = std::move(list);
  http::Response out;
  out.body = dumped(body);
  return out;
}

void reload(Core& core, Exchange& exchange) {
  if (core.parts.reload) {
    const Status done = core.parts.reload();
    if (!done)
      return exchange.answer({500, "not all could be read again: " + done.error().message});
  }
  exchange.reply(rulesets_page(core));
}

void readyz(Core& core, Exchange& exchange) {
  if (core.drains) return exchange.answer({503, "the server is shutting down"});
  if (const auto trouble = core.parts.store->trouble()) return exchange.answer({503, *trouble});
  http::Response out;
  out.body = "{\"status\":\"ok\"}\n";
  exchange.reply(std::move(out));
}

}  // namespace attrib::service
