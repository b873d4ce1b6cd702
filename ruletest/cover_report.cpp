#include "ruletest/cover_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace attrib::ruletest {
namespace {

using Json = nlohmann::ordered_json;

std::string row(std::string_view what, std::size_t width, const CoverCount& count) {
  return fmt::format("{:<{}}  {:>5} of {:>5}  {:>3}.{} %\n", what, width, count.covered,
                     count.total, count.permille() / 10, count.permille() % 10);
}

Json json_of(const CoverCount& count) {
  return {{"covered", count.covered},
          {"total", count.total},
          {"percent", static_cast<double>(count.permille()) / 10.0}};
}

}  // namespace

void CoverReport::Counts::add(const CoverItem& item) {
  kinds[static_cast<std::size_t>(item.kind)].add(item.covered);
  all.add(item.covered);
}

CoverReport::CoverReport(const Cover& cover, const std::string& filter) : cover_(cover) {
  for (const CoverItem& item : cover.items) {
    const bool chosen =
        item.path.find(filter) != std::string::npos || item.rule.find(filter) != std::string::npos;
    if (!chosen) continue;
    counts_.add(item);
    packs_[item.pack].add(item);
    if (!item.covered) missing_.push_back(&item);
  }
}

// Conditions and rows are counted only if that was asked for.
bool CoverReport::is_shown(std::size_t kind) const {
  return kind < static_cast<std::size_t>(CoverKind::Condition) || counts_.kinds[kind].total > 0;
}

std::string CoverReport::text() const {
  std::string out;
  for (const CoverItem* item : missing_) {
    out += fmt::format("{}:{}: {} {}: {}\n", item->path, item->at.line, item->declaration,
                       item->rule, item->missing);
  }
  std::size_t width = to_text(CoverKind::Alternative).size();
  for (const auto& [pack, counts] : packs_) width = std::max(width, pack.size());
  if (!missing_.empty()) {
    out += "\n";
    for (const auto& [pack, counts] : packs_) {
      if (counts.all.covered < counts.all.total) out += row(pack, width, counts.all);
    }
    out += "\n";
  }
  for (std::size_t kind = 0; kind < kCoverKinds; ++kind) {
    if (!is_shown(kind)) continue;
    out += row(to_text(static_cast<CoverKind>(kind)), width, counts_.kinds[kind]);
  }
  return out + row("all", width, counts_.all);
}

std::string CoverReport::json() const {
  Json json = {{"schema", "attrib.cover/1"},
               {"tests", {{"passed", cover_.passed}, {"failed", cover_.failed}}},
               {"all", json_of(counts_.all)},
               {"kinds", Json::object()},
               {"packs", Json::object()},
               {"missing", Json::array()}};
  for (std::size_t kind = 0; kind < kCoverKinds; ++kind) {
    if (!is_shown(kind)) continue;
    json["kinds"][std::string(to_text(static_cast<CoverKind>(kind)))] =
        json_of(counts_.kinds[kind]);
  }
  for (const auto& [pack, counts] : packs_) json["packs"][pack] = json_of(counts.all);
  for (const CoverItem* item : missing_) {
    json["missing"].push_back({{"kind", to_text(item->kind)},
                               {"declaration", item->declaration},
                               {"rule", item->rule},
                               {"path", item->path},
                               {"line", item->at.line},
                               {"column", item->at.column},
                               {"message", item->missing}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace attrib::ruletest
