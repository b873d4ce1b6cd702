// V2: attributors, made, listed, changed and deleted.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "service/handlers.h"
#include "service/header_merge.h"
#include "service/json.h"
#include "service/json_body.h"
#include "service/ruleset_of.h"
#include "service/session_json.h"

namespace attrib::service {
namespace {

std::optional<Problem> wrong_field(const Json& body) {
  for (const auto& [name, value] : body.items()) {
    if (name == "observations")
      return Problem{422, "field `observations`: post them to the attributor once it is made",
                     name};
    if (name != "schema" && name != "workload" && name != "topology" && name != "sources" &&
        name != "ruleset" && name != "metadata")
      return Problem{422,
                     "unknown field; expected `workload`, `topology`, `sources`, `ruleset` or "
                     "`metadata`",
                     name.substr(0, 100)};
  }
  return std::nullopt;
}

bool whole_number(const std::string& text, std::uint64_t* out) {
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, *out);
  return read.ec == std::errc() && read.ptr == end;
}

http::Response json_response(unsigned status, const Json& body) {
  http::Response out;
  out.status = status;
  out.body = dumped(body);
  return out;
}

}  // namespace

void v2_create(Core& core, Exchange& exchange) {
  std::string& text = exchange.request.body;
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) text = "{}";
  const auto read = json_body(exchange.request);
  if (const auto* problem = std::get_if<Problem>(&read)) return exchange.answer(*problem);
  const auto& body = std::get<Json>(read);
  if (const auto problem = wrong_field(body)) return exchange.answer(*problem);
  const auto ruleset = ruleset_of(*core.parts.rulesets, body, "ruleset");
  if (const auto* problem = std::get_if<Problem>(&ruleset)) return exchange.answer(*problem);
  auto metadata = metadata_of(body.value("metadata", Json()));
  if (const auto* problem = std::get_if<Problem>(&metadata)) return exchange.answer(*problem);
  auto header = new_header(exchange.request.body);
  if (!header) return exchange.answer(about_text(422, header.error().message));
  auto key = idempotency_key(exchange.request.head);
  if (const auto* problem = std::get_if<Problem>(&key)) return exchange.answer(*problem);
  store::NewSession session;
  session.ruleset = std::get<std::shared_ptr<const Ruleset>>(ruleset)->name;
  session.header = std::move(header).value();
  session.metadata = std::move(std::get<std::string>(metadata));
  session.idempotency_key = std::get<std::string>(std::move(key));
  core.parts.store->create(
      std::move(session), [parts = core.parts, idle = core.options.idle_time,
                           reply = exchange.reply](store::Outcome<store::Session> made) {
        if (const auto* failure = std::get_if<store::Failure>(&made))
          return reply(to_response(from_store(*failure)));
        const auto& done = std::get<store::Session>(made);
        http::Response out = json_response(201, session_json(done, *parts.rulesets, idle));
        out.headers.emplace_back("Location", "/v2/attributors/" + done.id);
        reply(std::move(out));
      });
}

void v2_list(Core& core, Exchange& exchange) {
  const auto page = page_of(exchange.request.head);
  if (const auto* problem = std::get_if<Problem>(&page)) return exchange.answer(*problem);
  const auto& asked = std::get<Page>(page);
  Json list = Json::array();
  std::uint64_t place = 0;
  if (!asked.after.empty() && !whole_number(asked.after, &place))
    return exchange.answer(
        {422, "query `after`: expected the `next` of the page before", "after"});
  // A few at a time: sessions come with their headers, which may be megabytes each.
  constexpr std::size_t kAtOnce = 8;
  bool more = true;
  while (more && list.size() < asked.limit) {
    const std::size_t most = std::min(kAtOnce, asked.limit - list.size());
    const auto found = core.parts.store->sessions(place, most);
    if (const auto* failure = std::get_if<store::Failure>(&found))
      return exchange.answer(from_store(*failure));
    const auto& sessions = std::get<std::vector<store::Session>>(found);
    for (const store::Session& each : sessions) {
      list.push_back(session_summary(each, core.options.idle_time));
      place = each.number;
    }
    more = sessions.size() == most;
  }
  Json body;
  body["attributors"] = std::move(list);
  body["next"] = more ? Json(fmt::format("{}", place)) : Json();
  exchange.reply(json_response(200, body));
}

void v2_get(Core& core, Exchange& exchange) {
  const auto found = core.parts.store->session(exchange.id);
  if (const auto* failure = std::get_if<store::Failure>(&found))
    return exchange.answer(from_store(*failure));
  core.parts.store->touch(exchange.id);
  exchange.reply(json_response(200, session_json(std::get<store::Session>(found),
                                                 *core.parts.rulesets, core.options.idle_time)));
}

void v2_patch(Core& core, Exchange& exchange) {
  const auto read = json_body(exchange.request);
  if (const auto* problem = std::get_if<Problem>(&read)) return exchange.answer(*problem);
  // Once before it is queued: what is wrong whatever the header holds is no contradiction.
  const auto sound = patch_header("{}", exchange.request.body);
  if (!sound) return exchange.answer(about_text(422, sound.error().message));
  const auto change = [patch = exchange.request.body](const std::string& current) {
    return patch_header(current, patch);
  };
  core.parts.store->change_header(
      exchange.id, change,
      [parts = core.parts, idle = core.options.idle_time,
       reply = exchange.reply](store::Outcome<store::Session> changed) {
        if (const auto* failure = std::get_if<store::Failure>(&changed))
          return reply(to_response(from_store(*failure)));
        reply(json_response(
            200, session_json(std::get<store::Session>(changed), *parts.rulesets, idle)));
      });
}

void v2_delete(Core& core, Exchange& exchange) {
  core.parts.store->erase(exchange.id, [reply = exchange.reply](store::Outcome<Done> erased) {
    if (const auto* failure = std::get_if<store::Failure>(&erased))
      return reply(to_response(from_store(*failure)));
    http::Response out;
    out.status = 204;
    out.content_type.clear();
    reply(std::move(out));
  });
}

void v2_list_posts(Core& core, Exchange& exchange) {
  const auto page = page_of(exchange.request.head);
  if (const auto* problem = std::get_if<Problem>(&page)) return exchange.answer(*problem);
  const auto& asked = std::get<Page>(page);
  const auto found = core.parts.store->posts(exchange.id, asked.after, asked.limit);
  if (const auto* failure = std::get_if<store::Failure>(&found))
    return exchange.answer(from_store(*failure));
  const auto& posts = std::get<std::vector<store::PostInfo>>(found);
  Json list = Json::array();
  for (const store::PostInfo& each : posts) list.push_back(post_json(each));
  Json body;
  body["observations"] = std::move(list);
  body["next"] = posts.size() == asked.limit ? Json(posts.back().id) : Json();
  exchange.reply(json_response(200, body));
}

}  // namespace attrib::service
