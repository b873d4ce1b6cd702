#include "model/vocabulary.h"

#include <array>

namespace attrib::model {
namespace {

struct Row {
  std::string_view set;
  std::string_view name;
  std::string_view word;
};

constexpr auto kRows = std::to_array<Row>({
#define ATTRIB_WORD(Set, Enumerator, text) {#Set, #Enumerator, text},
#include "model/vocabulary.def"
});

template <std::size_t N>
constexpr std::array<std::string_view, N> select(std::string_view set, std::string_view Row::*column) {
  std::array<std::string_view, N> out{};
  std::size_t n = 0;
  for (const Row& row : kRows) {
    if (row.set == set) out[n++] = row.*column;
  }
  return out;
}

constexpr std::size_t count(std::string_view set) {
  std::size_t n = 0;
  for (const Row& row : kRows) n += row.set == set ? 1 : 0;
  return n;
}

}  // namespace

#define ATTRIB_WORDS_OF(Set)                                                              \
  template <>                                                                             \
  std::span<const std::string_view> words<Set>() {                                        \
    static constexpr auto kWords = select<count(#Set)>(#Set, &Row::word);                 \
    return kWords;                                                                        \
  }
ATTRIB_WORDS_OF(Domain)
ATTRIB_WORDS_OF(Role)
ATTRIB_WORDS_OF(Band)
ATTRIB_WORDS_OF(Blame)
ATTRIB_WORDS_OF(Severity)
ATTRIB_WORDS_OF(Retry)
ATTRIB_WORDS_OF(Outcome)
ATTRIB_WORDS_OF(VerdictStatus)
ATTRIB_WORDS_OF(SourceKind)
ATTRIB_WORDS_OF(Family)
ATTRIB_WORDS_OF(EntityKind)
#undef ATTRIB_WORDS_OF

std::span<const std::string_view> entity_kind_names() {
  static constexpr auto kNames = select<count("EntityKind")>("EntityKind", &Row::name);
  return kNames;
}

std::optional<EntityKind> parse_entity_kind_name(std::string_view name) {
  const auto all = entity_kind_names();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] == name) return static_cast<EntityKind>(i);
  }
  return std::nullopt;
}

Family default_family(SourceKind kind) {
  switch (kind) {
    case SourceKind::Kernel:
    case SourceKind::Syslog:
    case SourceKind::Journald:
    case SourceKind::Bmc: return Family::Kernel;
    case SourceKind::App:
    case SourceKind::FlightRecorder: return Family::Application;
    case SourceKind::FabricManager:
    case SourceKind::Switch: return Family::Fabric;
    case SourceKind::Slurm:
    case SourceKind::K8s:
    case SourceKind::Kueue: return Family::Scheduler;
    case SourceKind::Metric: return Family::Telemetry;
  }
  return Family::Application;
}

}  // namespace attrib::model
