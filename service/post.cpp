#include "service/post.h"

#include <utility>

#include "service/header_merge.h"
#include "service/json.h"

namespace attrib::service {
namespace {

struct Counted {
  std::string id;
  bool v1 = false;
  std::uint64_t accepted = 0, rejected = 0;
  std::vector<std::string> problems;
};

http::Response posted_response(const Counted& counted, const store::Posted& posted) {
  Json body;
  body["observation_id"] = counted.id;
  body["copy"] = posted.copy;
  body["accepted"] = counted.accepted;
  body["rejected"] = counted.rejected;
  body["problems"] = counted.problems;
  body["revision"] = posted.revision;
  http::Response out;
  out.status = counted.v1 || posted.copy ? 200 : 201;
  out.body = dumped(body);
  return out;
}

}  // namespace

void store_post(Core& core, const Exchange& exchange, const char* kind, Ingest ingest) {
  const bool v1 = std::string_view(kind) != "v2";
  const std::string_view api = v1 ? "v1" : "v2";
  if (const auto* problem = std::get_if<Problem>(&ingest)) {
    core.parts.metrics->add(Metric::Posts, 1, {api, "refused"});
    return exchange.answer(*problem);
  }
  auto& read = std::get<Ingested>(ingest);
  store::Post post;
  post.session = exchange.id;
  post.kind = kind;
  post.observations = read.accepted;
  // Two posts that differ in what they say of the workload are two.
  post.id =
      store::post_id(kind, read.header.empty() ? read.content : read.header + "\n" + read.content);
  post.content = std::move(read.content);
  if (!read.header.empty()) {
    post.merge_header = [more = std::move(read.header)](const std::string& current) {
      return merge_header(current, more);
    };
  }
  Counted counted{post.id, v1, read.accepted, read.rejected, std::move(read.problems)};
  core.parts.store->append(std::move(post), [parts = core.parts, reply = exchange.reply, api,
                                             counted = std::move(counted)](
                                                store::Outcome<store::Posted> outcome) {
    if (const auto* failure = std::get_if<store::Failure>(&outcome)) {
      parts.metrics->add(Metric::Posts, 1, {api, "refused"});
      if (failure->kind == store::FailureKind::Broken)
        parts.log->event(Level::Error, "store_failed", {{"message", failure->message}});
      return reply(to_response(from_store(*failure)));
    }
    const auto& posted = std::get<store::Posted>(outcome);
    parts.metrics->add(Metric::Posts, 1, {api, posted.copy ? "copy" : "stored"});
    if (!posted.copy) {
      parts.metrics->add(Metric::Observations, static_cast<double>(counted.accepted), {"accepted"});
      parts.metrics->add(Metric::Observations, static_cast<double>(counted.rejected), {"rejected"});
    }
    reply(posted_response(counted, posted));
  });
}

}  // namespace attrib::service
