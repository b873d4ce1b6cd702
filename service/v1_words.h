#pragma once

// What V1's fields say.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/time.h"
#include "model/vocabulary.h"
#include "service/json.h"

namespace attrib::service {

// Null, "" and "unknown" are as good as absent.
bool is_not_given(const Json& value);

// `context.source`: "syslog", "applog", "node_metrics", ...; none: no such word.
std::optional<model::SourceKind> source_of_word(std::string_view word);
std::string known_source_words();  // "`syslog`, `applog`, ...", for messages.

// Of a line whose log is said to be of `kind`, by the program that wrote it and its facility: the
// kernel's own lines come through syslog as well.
model::SourceKind source_of_program(model::SourceKind kind, std::string_view program,
                                    std::string_view facility);

// `[ 1234.567890] ...`: seconds since the machine was started, as `dmesg` prints them; none: no
// such stamp.
std::optional<model::Nanos> since_boot(std::string_view line);

// RFC 3339 with as many digits as there are: a stamp that only ever was of whole seconds is as
// sharp as they are.
std::string stamp_text(model::Nanos at);

}  // namespace attrib::service
