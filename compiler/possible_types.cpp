#include "compiler/possible_types.h"

#include <algorithm>

#include "model/truth.h"

namespace attrib::compiler {
namespace {

using model::Truth;

// An emission may set role or domain anew: then the type's own word decides nothing.
struct Settled {
  bool role = true;
  bool domain = true;
};

std::vector<Settled> settled_types(const Module& module) {
  std::vector<Settled> out(module.symptoms.size());
  for (const Rule& rule : module.rules) {
    for (const Emit& emit : rule.emits) {
      if (emit.event) continue;
      if (emit.role.valid()) out[emit.type].role = false;
      if (emit.domain.valid()) out[emit.type].domain = false;
    }
  }
  return out;
}

class TypeTest {
 public:
  TypeTest(const Module& module, VarId var, const model::SymptomType& type, Settled settled)
      : module_(module), var_(var), type_(type), settled_(settled) {}

  // What `id` is for every fact of the type; Unknown: the type does not say. The depth is that of a
  // parsed expression (dsl::kMaxNesting), but for chains of `and` and `or`.
  [[nodiscard]] Truth test(ExprId id) const {
    if (!id.valid()) return Truth::Yes;
    const Expr& at = module_.exprs[id.value];
    switch (at.kind) {
      case ExprKind::And:
        return test(at.a) & test(at.b);
      case ExprKind::Or:
        return test(at.a) | test(at.b);
      case ExprKind::Not:
        return !test(at.a);
      case ExprKind::HasTag:
        return at.var == var_ ? model::truth(std::ranges::binary_search(type_.tags, at.text))
                              : Truth::Unknown;
      case ExprKind::Compare:
        return compare(at);
      case ExprKind::InList:
        return in_list(at);
      default:
        return Truth::Unknown;
    }
  }

 private:
  // The word an attribute of the variable has for every fact of the type.
  [[nodiscard]] std::optional<std::string_view> word_of(ExprId id) const {
    const Expr& at = module_.exprs[id.value];
    if (at.kind != ExprKind::AttributeOf || at.var != var_) return std::nullopt;
    if (at.attribute == model::Attribute::Name) return type_.name;
    if (at.attribute == model::Attribute::Role && settled_.role) return model::word(type_.role);
    if (at.attribute == model::Attribute::Domain && settled_.domain)
      return model::word(type_.domain);
    return std::nullopt;
  }

  [[nodiscard]] Truth compare(const Expr& at) const {
    if (at.compare != model::Compare::Equal && at.compare != model::Compare::NotEqual)
      return Truth::Unknown;
    auto word = word_of(at.a);
    const Expr* other = &module_.exprs[at.b.value];
    if (!word) {
      word = word_of(at.b);
      other = &module_.exprs[at.a.value];
    }
    if (!word || other->kind != ExprKind::Constant ||
        other->constant.kind != model::ValueKind::String) {
      return Truth::Unknown;
    }
    return model::truth((*word == other->constant.text) == (at.compare == model::Compare::Equal));
  }

  [[nodiscard]] Truth in_list(const Expr& at) const {
    const auto word = word_of(at.a);
    if (!word) return Truth::Unknown;
    return model::truth(std::ranges::any_of(at.list, [&](const model::Constant& each) {
      return each.kind == model::ValueKind::String && each.text == *word;
    }));
  }

  const Module& module_;
  VarId var_;
  const model::SymptomType& type_;
  Settled settled_;
};

}  // namespace

std::vector<std::uint32_t> possible_types(const Module& module, const Rule& rule, VarId var) {
  const std::vector<Settled> settled = settled_types(module);
  const ExprId where = rule.vars[var.value].where;
  std::vector<std::uint32_t> out;
  for (std::uint32_t type = 0; type < module.symptoms.size(); ++type) {
    if (TypeTest(module, var, module.symptoms[type], settled[type]).test(where) != Truth::No)
      out.push_back(type);
  }
  return out;
}

}  // namespace attrib::compiler
