#include "service/documents.h"

#include "service/documents.inc"

namespace attrib::service {

std::string_view openapi_document() { return kOpenapi; }
std::string_view evidence_schema() { return kEvidenceSchema; }
std::string_view verdict_schema() { return kVerdictSchema; }

}  // namespace attrib::service
