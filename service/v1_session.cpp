// V1: attributors, with the field names of the public client, and what it reads of them.

#include <fmt/format.h>

#include <array>
#include <utility>

#include "service/handlers.h"
#include "service/header_merge.h"
#include "service/json.h"
#include "service/json_body.h"
#include "service/ruleset_of.h"
#include "service/v1_words.h"

namespace attrib::service {
namespace {

struct Field {
  const char* theirs;
  const char* ours;
};
constexpr std::array kFields = {
    Field{"id", "id"},
    Field{"type", "kind"},
    Field{"job_start_time", "start"},
    Field{"job_end_time", "end"},
    Field{"status", "state"},
    Field{"nranks", "ranks"},
    Field{"ranks_per_node", "ranks_per_node"},
    Field{"nodes", "nodes"},
    Field{"name", "name"},
    Field{"username", "user"},
    Field{"framework", "framework"},
};

// Sets a field of the workload if it is given and as it should be.
std::optional<Problem> put_field(const Json& value, const std::string& theirs, const char* ours,
                                 Json* workload) {
  if (is_not_given(value)) return std::nullopt;
  Json alone;
  alone["workload"][ours] = value;
  const auto read = new_header(compact(alone));
  if (read) {
    (*workload)[ours] = value;
    return std::nullopt;
  }
  std::string why = read.error().message;
  if (const std::size_t colon = why.find("`: "); colon != std::string::npos)
    why.erase(0, colon + 3);
  return Problem{422, fmt::format("field `{}`: {}", theirs, why), theirs};
}

// A code of exit, or as programs say it who died of a signal: its number below zero.
std::optional<Problem> put_exit(const Json& value, Json* workload) {
  if (is_not_given(value)) return std::nullopt;
  constexpr const char* kName = "workload.exit_code_signal";
  if (!value.is_number_integer())
    return Problem{422, fmt::format("field `{}`: expected a whole number", kName), kName};
  const auto code = value.get<std::int64_t>();
  (*workload)[code < 0 ? "signal" : "exit_code"] = code < 0 ? -(code + 1) + 1 : code;
  return std::nullopt;
}

std::variant<Json, Problem> workload_of(const Json& theirs, const Json& metadata) {
  Json out = Json::object();
  for (const Field& each : kFields) {
    const auto found = theirs.find(each.theirs);
    if (found == theirs.end()) continue;
    const std::string name = fmt::format("workload.{}", each.theirs);
    if (auto problem = put_field(*found, name, each.ours, &out)) return *std::move(problem);
  }
  if (const auto exit = theirs.find("exit_code_signal"); exit != theirs.end()) {
    if (auto problem = put_exit(*exit, &out)) return *std::move(problem);
  }
  if (const auto cluster = metadata.find("cluster"); cluster != metadata.end()) {
    if (auto problem = put_field(*cluster, "metadata.cluster", "cluster", &out))
      return *std::move(problem);
  }
  return out;
}

}  // namespace

void v1_create(Core& core, Exchange& exchange) {
  const auto read = json_body(exchange.request);
  if (const auto* problem = std::get_if<Problem>(&read)) return exchange.answer(*problem);
  const auto& body = std::get<Json>(read);
  const auto theirs = body.find("workload");
  if (theirs == body.end() || !theirs->is_object())
    return exchange.answer({422, "field `workload`: expected an object", "workload"});
  Json metadata = body.value("metadata", Json());
  auto kept = metadata_of(metadata);
  if (const auto* problem = std::get_if<Problem>(&kept)) return exchange.answer(*problem);
  if (metadata.is_null()) metadata = Json::object();
  auto key = idempotency_key(exchange.request.head);
  if (const auto* problem = std::get_if<Problem>(&key)) return exchange.answer(*problem);
  if (is_not_given(metadata.value("ruleset", Json()))) metadata.erase("ruleset");
  const auto ruleset = ruleset_of(*core.parts.rulesets, metadata, "metadata.ruleset");
  if (const auto* problem = std::get_if<Problem>(&ruleset)) return exchange.answer(*problem);
  auto workload = workload_of(*theirs, metadata);
  if (const auto* problem = std::get_if<Problem>(&workload)) return exchange.answer(*problem);
  Json header;
  header["workload"] = std::move(std::get<Json>(workload));
  auto text = new_header(compact(header));
  if (!text) return exchange.answer(about_text(422, text.error().message));
  store::NewSession session;
  session.ruleset = std::get<std::shared_ptr<const Ruleset>>(ruleset)->name;
  session.header = std::move(text).value();
  session.metadata = std::get<std::string>(std::move(kept));
  session.idempotency_key = std::get<std::string>(std::move(key));
  core.parts.store->create(std::move(session),
                           [reply = exchange.reply](store::Outcome<store::Session> made) {
                             if (const auto* failure = std::get_if<store::Failure>(&made))
                               return reply(to_response(from_store(*failure)));
                             Json answer;
                             answer["attributor_id"] = std::get<store::Session>(made).id;
                             http::Response out;
                             out.body = dumped(answer);
                             reply(std::move(out));
                           });
}

void v1_attribution_of(Core& core, Exchange& exchange) {
  core.verdicts.of_session(exchange.id, {Format::V1, false}, "",
                           [reply = exchange.reply](const PrintedOrProblem& outcome) {
                             if (const auto* problem = std::get_if<Problem>(&outcome))
                               return reply(to_response(*problem));
                             const auto& printed = std::get<Printed>(outcome);
                             http::Response out;
                             out.body = *printed.text;
                             out.headers.emplace_back("Attrib-Program", printed.digest);
                             reply(std::move(out));
                           });
}

}  // namespace attrib::service
