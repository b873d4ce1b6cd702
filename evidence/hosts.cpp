#include "evidence/hosts.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_set>

#include "evidence/cursor.h"

namespace attrib::evidence {
namespace {

std::string_view without_domain(std::string_view host) { return host.substr(0, host.find('.')); }

bool has_domain(std::string_view host) { return host.find('.') != std::string_view::npos; }

// Addresses have no domain, and a bare number is no name.
bool is_host_name(std::string_view host) {
  const std::string_view label = without_domain(host);
  return !label.empty() && host.find(':') == std::string_view::npos &&
         !std::all_of(label.begin(), label.end(), [](char c) { return is_digit(c); });
}

// The names under which the evidence knows the hosts with one first label.
struct Names {
  std::set<std::string, std::less<>> of_workload, others;
};

// The one name among them that all of them mean, where that is sure: `node-7` and
// `node-7.cluster.local` are one host if no second domain claims the same label. The workload's
// name is kept, else the short one.
std::optional<std::string> settled(const Names& names) {
  std::set<std::string_view> full, brief;
  for (const auto* all : {&names.of_workload, &names.others}) {
    for (const std::string& name : *all) (has_domain(name) ? full : brief).insert(name);
  }
  if (full.size() != 1 || brief.size() != 1) return std::nullopt;
  if (names.of_workload.size() == 2) return std::nullopt;  // It counts them as two.
  return names.of_workload.empty() ? std::string(*brief.begin()) : *names.of_workload.begin();
}

}  // namespace

void settle_hosts(const Workload& workload, const std::vector<std::string*>& given) {
  std::map<std::string, Names, std::less<>> by_label;
  const auto names_of = [&](const std::string& host) -> Names* {
    if (!is_host_name(host)) return nullptr;
    return &by_label[std::string(without_domain(host))];
  };
  const auto of_workload = [&](const std::string& host) {
    if (Names* names = names_of(host)) names->of_workload.insert(host);
  };
  for (const std::string& node : workload.nodes) of_workload(node);
  for (const Placement& placed : workload.placement) of_workload(placed.node);
  std::unordered_set<std::string_view> met;
  for (const std::string* host : given) {
    if (host->empty() || !met.insert(*host).second) continue;
    Names* names = names_of(*host);
    if (names != nullptr && !names->of_workload.contains(*host)) names->others.insert(*host);
  }
  std::map<std::string, std::string, std::less<>> renamed;
  for (const auto& [label, names] : by_label) {
    const auto one = settled(names);
    if (!one) continue;
    for (const std::string& name : names.others) {
      if (name != *one) renamed.emplace(name, *one);
    }
  }
  if (renamed.empty()) return;
  for (std::string* host : given) {
    if (const auto found = renamed.find(*host); found != renamed.end()) *host = found->second;
  }
}

}  // namespace attrib::evidence
