#pragma once

// The objects of one JSON input, made into drafts and headers. A bad one is rejected by its line,
// and reading goes on unless the gathering is strict.

#include <cstdint>
#include <string>
#include <string_view>

#include "evidence/draft.h"
#include "evidence/json_scan.h"
#include "evidence/json_value.h"
#include "evidence/lines.h"
#include "evidence/read.h"

namespace attrib::evidence {

class JsonObjects {
 public:
  // `input` and `gathering` must outlive it; `index` is the input's number among all.
  JsonObjects(const Input& input, std::uint32_t index, Gathering* gathering)
      : input_(input), index_(index), gathering_(gathering) {}

  // A line of NDJSON, with or without its line end: one whole object, which is an observation, a
  // header or a document of its own.
  Status line(std::string_view text, std::uint64_t number);
  // Was the last line() one observation and nothing else? It is the last draft then.
  [[nodiscard]] bool was_observation() const { return plain_; }

  // A whole document, or one observation alone, that begins in the given line.
  Status document(std::string_view text, std::uint64_t line);
  // Of one that is read in pieces: an element of `observations`, and all that is not in that list.
  Status observation(std::string_view slice, std::size_t depth, std::uint64_t line);
  Status header_of(const DocumentSlices& document, LineCounter counter, std::uint64_t line);

 private:
  [[nodiscard]] std::string where(std::uint64_t line) const {
    return place_name(input_.name, line);
  }
  Status reject(std::uint64_t line, std::string_view text) {
    return gathering_->reject(where(line), text);
  }
  Status add_observation(const JsonValue& object, bool escaped, std::uint64_t line);
  // What is added to the gathering.
  void settle(Draft* draft, std::uint64_t line);
  // False: not the usual observation.
  bool add_plain(std::string_view slice, std::uint64_t line);
  Status log_records(std::string_view slice, std::uint64_t line);
  Status header(const JsonValue& object, std::uint64_t line);
  Status object_line(std::string_view slice, std::uint64_t line);
  Status header_member(const DocumentSlices::Member& member, std::uint64_t line, JsonValue* into);

  const Input& input_;
  std::uint32_t index_;
  Gathering* gathering_;
  bool plain_ = false;
};

}  // namespace attrib::evidence
