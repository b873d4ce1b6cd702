#pragma once

// The enumerations of vocabulary.def with their words. word(x) is the one spelling used in rules, JSON and docs;
// parse_word<T>("...") is its inverse.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace attrib::model {

// clang-format off
enum class Domain : std::uint8_t { Application, User, Scheduler, Host, Gpu, Nvlink, NetworkFabric, Storage, PowerCooling, None, Ambiguous, Unattributed };
enum class Role : std::uint8_t { Origin, Relay, Victim, End, Note };
enum class Band : std::uint8_t { Hint, Possible, Likely, Certain };
enum class Blame : std::uint8_t { Self, None };
enum class Severity : std::uint8_t { Info, Warning, Error, Critical };
enum class Retry : std::uint8_t { SameNodes, OtherNodes, AfterFix, Unknown };
enum class Outcome : std::uint8_t { Failed, Completed, Cancelled, TimedOut, Preempted, Requeued, NodeFailed, NotStarted, Hung, Degraded, Running, Unknown };
enum class VerdictStatus : std::uint8_t { Attributed, Ambiguous, Unattributed, NoFailure };
enum class SourceKind : std::uint8_t { App, Kernel, Syslog, Journald, FabricManager, Switch, Bmc, Slurm, K8s, Kueue, Metric, FlightRecorder };
enum class Family : std::uint8_t { Kernel, Application, Fabric, Scheduler, Telemetry };
enum class EntityKind : std::uint8_t { Cluster, Rack, Node, Gpu, Link, Nic, Switch, SwitchPort, Job, Attempt, Rank, Communicator, Collective, Path, Mount, Pod, Stream };
// clang-format on

template <typename T>
std::span<const std::string_view> words();  // In enumerator order.

template <typename T>
std::string_view word(T value) {
  return words<T>()[static_cast<std::size_t>(value)];
}

template <typename T>
std::optional<T> parse_word(std::string_view text) {
  const auto all = words<T>();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] == text) return static_cast<T>(i);
  }
  return std::nullopt;
}

// The enumerators' own names; only entity kinds are written so in rules (`symptom x on SwitchPort`).
std::span<const std::string_view> entity_kind_names();
std::optional<EntityKind> parse_entity_kind_name(std::string_view name);

template <>
std::span<const std::string_view> words<Domain>();
template <>
std::span<const std::string_view> words<Role>();
template <>
std::span<const std::string_view> words<Band>();
template <>
std::span<const std::string_view> words<Blame>();
template <>
std::span<const std::string_view> words<Severity>();
template <>
std::span<const std::string_view> words<Retry>();
template <>
std::span<const std::string_view> words<Outcome>();
template <>
std::span<const std::string_view> words<VerdictStatus>();
template <>
std::span<const std::string_view> words<SourceKind>();
template <>
std::span<const std::string_view> words<Family>();
template <>
std::span<const std::string_view> words<EntityKind>();

// A set of source kinds, one bit a kind.
using SourceMask = std::uint16_t;
constexpr SourceMask source_bit(SourceKind kind) {
  return static_cast<SourceMask>(1U << static_cast<unsigned>(kind));
}

// What an external word for a role of the causality graph may carry at most (language §3.7).
constexpr Band role_cap(Role role) {
  switch (role) {
    case Role::Origin: return Band::Certain;
    case Role::Relay: return Band::Likely;
    case Role::Victim:
    case Role::End:
    case Role::Note: return Band::Hint;
  }
  return Band::Hint;
}

// Entities that are a node, part of one or run on one.
constexpr bool lies_on_a_node(EntityKind kind) {
  return kind == EntityKind::Node || kind == EntityKind::Gpu || kind == EntityKind::Link || kind == EntityKind::Nic ||
         kind == EntityKind::Rank;
}

// Whether a symptom of this domain on this kind of entity accuses its entity when nothing says so (§3.3): not for
// application, user and scheduler, nor for anything on a path or a job.
constexpr Blame default_blame(Domain domain, EntityKind on) {
  const bool nobody = domain == Domain::Application || domain == Domain::User || domain == Domain::Scheduler ||
                      on == EntityKind::Path || on == EntityKind::Job || on == EntityKind::Attempt;
  return nobody ? Blame::None : Blame::Self;
}

// The family a source's lines belong to unless the extract says otherwise (§3.1).
Family default_family(SourceKind kind);

}  // namespace attrib::model
