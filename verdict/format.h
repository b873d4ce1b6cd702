#pragma once

// Small pieces of text that all printers share. Nothing here depends on locale or clock.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "verdict/verdict.h"

namespace attrib::verdict {

// RFC 3339 in UTC; the fraction without its trailing zeros: "2026-05-18T08:31:05.12Z".
std::string rfc3339(model::Nanos time);
std::string date_text(model::Nanos time);  // "2026-05-18"
std::string clock_text(
    model::Nanos time);  // "08:31:05.123"; the milliseconds only if there are any

// Nothing bounds it from before: it stood before some line, and that is all.
bool open_before(const model::Moment& moment);

// What the log line said, as far as a Moment still knows: its low end without the clock's error; of
// one that is open before, its high end.
model::Nanos stamp(const model::Moment& moment);

std::string rank_ranges(const std::vector<std::int64_t>& sorted);  // "0-3,7"
std::string grouped(std::uint64_t number);                         // "10,239"
std::string plural(std::uint64_t n, std::string_view one,
                   std::string_view many);  // "1 rank", "2 ranks"

// Text from logs may hold terminal escapes or bidirectional overrides that would draw something
// else than was logged: control characters come out as `\x1B`, the overrides as `\u{202E}`, broken
// UTF-8 as `\xFF`.
std::string printable(std::string_view text);

std::size_t columns(std::string_view utf8);  // Code points, which is near enough for log text.
// Words wrapped at `width` columns; a word that is longer is cut. At least one line.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

// "node-b", "rank 17 (node-c)", "10,239 ranks on 1,280 nodes", "the job": where a symptom is, for
// people.
std::string place_text(const Symptom& symptom);
// "GPU 0000:04:00, link 8": the fields that tell one such symptom from another; may be empty.
std::string detail_text(const Symptom& symptom);
// "NVLink signal integrity fault on node-b (GPU 0000:04:00, link 8)"
std::string describe(const Symptom& symptom);
std::string entity_text(const EntityRef& entity);  // "node node-b", "the job", "an unknown gpu"
std::string_view title_of(const Symptom& symptom);

}  // namespace attrib::verdict
