#include "service/session_json.h"

#include "model/time.h"
#include "verdict/format.h"

namespace attrib::service {

Json session_summary(const store::Session& session, std::int64_t idle) {
  Json out;
  out["attributor_id"] = session.id;
  out["ruleset"] = session.ruleset;
  out["revision"] = session.revision;
  out["posts"] = session.posts;
  out["bytes"] = session.bytes;
  out["created"] = verdict::rfc3339(session.created);
  out["used"] = verdict::rfc3339(session.used);
  out["expires"] = verdict::rfc3339(model::add_nanos(session.used, idle));
  return out;
}

Json session_json(const store::Session& session, const Rulesets& rulesets, std::int64_t idle) {
  Json out = session_summary(session, idle);
  const auto ruleset = rulesets.find(session.ruleset);
  out["program"]["digest"] = ruleset == nullptr ? Json() : Json(ruleset->digest);
  const Json header = Json::parse(session.header, nullptr, false);
  for (const char* name : {"workload", "topology", "sources"}) {
    if (header.is_object() && header.contains(name)) out[name] = header[name];
  }
  const Json metadata = Json::parse(session.metadata, nullptr, false);
  out["metadata"] = metadata.is_object() ? metadata : Json::object();
  return out;
}

Json post_json(const store::PostInfo& post) {
  Json out;
  out["observation_id"] = post.id;
  out["kind"] = post.kind;
  out["received"] = verdict::rfc3339(post.received);
  out["bytes"] = post.bytes;
  out["observations"] = post.observations;
  return out;
}

}  // namespace attrib::service
