#include "program/verify.h"

#include <fmt/format.h>

#include <tuple>

#include "program/codec.h"
#include "program/verify_parts.h"

namespace attrib::program {
namespace {

Refusal verify_sizes(const Program& program) {
  if (program.rules.size() > kMaxRules) {
    return Error{fmt::format("{} rules, at most {}", program.rules.size(), kMaxRules)};
  }
  if (program.code.size() > kMaxCode) {
    return Error{fmt::format("{} instructions, at most {}", program.code.size(), kMaxCode)};
  }
  return std::nullopt;
}

Refusal verify_places(const Program& program) {
  if (program.places.size() != program.code.size()) {
    return Error{
        fmt::format("{} places for {} instructions", program.places.size(), program.code.size())};
  }
  const auto known = [&](const Place& place) {
    return place == Place{} || place.source < program.sources.size();
  };
  for (std::size_t i = 0; i < program.places.size(); ++i) {
    if (!known(program.places[i])) {
      return Error{fmt::format("place {} names source {} of {}", i, program.places[i].source,
                               program.sources.size())};
    }
  }
  for (const Rule& rule : program.rules) {
    if (!known(rule.place))
      return Error{fmt::format("rule `{}`: its place has no source", rule.name)};
  }
  return std::nullopt;
}

// Sorted by kind, stratum and name, and one after the other in the code.
Refusal verify_order(const Program& program) {
  std::uint32_t end = 0;
  const Rule* last = nullptr;
  for (const Rule& rule : program.rules) {
    const auto refuse = [&](std::string_view what) {
      return Error{fmt::format("rule `{}`: {}", rule.name, what)};
    };
    const auto key = [](const Rule& r) { return std::tie(r.kind, r.stratum, r.name); };
    if (rule.name.empty()) return Error{"a rule without a name"};
    if (last != nullptr && key(*last) >= key(rule)) return refuse("out of order");
    if (rule.code_begin != end || rule.code_end <= end || rule.code_end > program.code.size()) {
      return refuse(fmt::format("its code is {}..{}, and {}..{} is left", rule.code_begin,
                                rule.code_end, end, program.code.size()));
    }
    end = rule.code_end;
    last = &rule;
  }
  if (end != program.code.size()) {
    return Error{fmt::format("{} instructions of no rule", program.code.size() - end)};
  }
  return std::nullopt;
}

// All that a run depends on.
Refusal verify_for_runs(const Program& program) {
  using Part = Refusal (*)(const Program&);
  for (const Part part :
       {verify_sizes, verify_schema, verify_tables, verify_order, verify_extracts, verify_rules,
        verify_strata}) {
    if (auto error = part(program)) return error;
  }
  return std::nullopt;
}

Refusal verify_all(const Program& program) {
  if (auto error = verify_places(program)) return error;
  return verify_for_runs(program);
}

}  // namespace

Result<VerifiedProgram> verify(Program program) {
  if (auto error = verify_all(program)) return *error;
  std::string name = digest(program);
  return VerifiedProgram(std::make_shared<const Program>(std::move(program)), std::move(name));
}

Result<VerifiedProgram> load(std::string_view bytes) {
  std::string name;
  ATTRIB_TRY(Program program, decode(bytes, &name));
  if (auto error = verify_all(program)) return *error;
  return VerifiedProgram(std::make_shared<const Program>(std::move(program)), std::move(name));
}

Result<VerifiedProgram> load_for_runs(std::string_view beginning, std::size_t size) {
  std::string name;
  ATTRIB_TRY(Program program, decode_for_runs(beginning, size, &name));
  if (auto error = verify_for_runs(program)) return *error;
  return VerifiedProgram(std::make_shared<const Program>(std::move(program)), std::move(name));
}

}  // namespace attrib::program
