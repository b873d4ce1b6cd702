#pragma once

// Event and symptom types: from declarations to model/schema.h.

#include <optional>

#include "compiler/context.h"

namespace attrib::compiler {

// `u16`, `Gpu`, `(Fatal | Nonfatal)` as a type, or a report.
std::optional<model::Type> resolve_type(Context& context, const dsl::TypeRef& type);

// Fields with their types; a field whose type is wrong is reported and reads as a word, so that
// checking goes on.
std::vector<model::Field> resolve_fields(Context& context,
                                         const std::vector<dsl::FieldDecl>& fields,
                                         const std::string& owner);

// An entity kind written as `Node`, or a report.
std::optional<model::EntityKind> resolve_kind(Context& context, const dsl::Name& name);

// Fill Module::events and Module::symptoms, in name order.
void check_events(Context& context);
void check_symptoms(Context& context);

}  // namespace attrib::compiler
