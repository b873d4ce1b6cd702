#pragma once

// Single lines of a raw log, made into drafts: framing, parts of container lines joined, record
// numbers of /dev/kmsg watched. keep_lines.h says which lines come here.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/draft.h"
#include "evidence/frame.h"
#include "evidence/framing.h"
#include "evidence/journald.h"
#include "evidence/parts.h"
#include "evidence/read.h"

namespace attrib::evidence {

// The launcher's label in front of a line, the same for all lines of one rank; mostly none.
std::string_view label_of(std::string_view text);
// Is it none, as the line's first bytes show? No: nobody knows.
bool begins_without_label(std::string_view text);

// What the line around another one has to say.
struct Glimpse {
  std::optional<Stamp> stamp;
  StreamKey stream;
};

// The line's body as it stands, and whom it speaks for.
struct PeekedLine {
  StreamKey stream;
  std::size_t body = 0;  // Where it begins.
  model::SourceMask speaks = 0;
};

class RawLines {
 public:
  // All must outlive it. `parts`: the files of a rotated log, by which its lines are named.
  RawLines(const Input& input, std::uint32_t index, Gathering* gathering,
           const Parts* parts = nullptr);

  // Reads a line (without its line end), in the order of the file. What comes of it, if anything
  // yet, is in made().
  Status line(std::string_view text, std::uint64_t number);
  // A message that came in a frame of its own.
  Status add(std::string_view text, std::uint64_t number);
  // Behind the last line: parts whose last never came.
  Status finish();
  Status too_long(std::size_t size, std::uint64_t number);

  // Since the last call; at most some for a line.
  [[nodiscard]] std::vector<Draft>& made() { return made_; }
  // Do the lines that follow belong to what was read, so that none may be left out?
  [[nodiscard]] bool goes_on() const { return !partials_.empty() || last_was_kmsg_; }

  // A line by itself: nothing is remembered of it. `glimpsed`: without id, file and place.
  [[nodiscard]] Glimpse glimpse(std::string_view text) const;
  [[nodiscard]] std::optional<Labels> labels_in_front(std::string_view text) const;
  [[nodiscard]] bool begins_plainly(std::string_view text) const {
    return evidence::begins_plainly(text, input_.log->kind);
  }
  // Do its lines tell the ranks that they are of?
  [[nodiscard]] bool lines_tell_ranks() const { return !input_.log->rank.has_value(); }
  [[nodiscard]] MayBeStamped may_be_stamped(std::string_view text) const;
  // Nothing: only framed() tells.
  [[nodiscard]] std::optional<PeekedLine> peek(std::string_view text) const;
  [[nodiscard]] Draft glimpsed(std::string_view text) const;
  [[nodiscard]] Draft framed(std::string_view text, std::uint64_t number) const;
  [[nodiscard]] Draft draft_of(std::uint64_t number) const;
  void keep(Draft draft);
  void lose() { lost_ = true; }
  [[nodiscard]] bool empty() const { return empty_; }
  void see() { empty_ = false; }
  // FILE:LINE
  [[nodiscard]] std::string place(std::uint64_t number) const { return id_of(number).front(); }

 private:
  struct Partial {  // A container's line that goes on in the next one of its stream.
    std::string text;
    std::uint64_t line = 0;
    std::size_t grows_at = 0;
    bool too_long = false;
  };
  using Partials = std::map<std::string, Partial, std::less<>>;  // By stream of the container.

  void name_line(std::uint64_t number, Draft* draft) const;
  [[nodiscard]] IdList id_of(std::uint64_t number) const;
  Status go_on(Partials::iterator at, std::string_view more, bool partial);
  Status join(const CriFrame& cri, std::string_view text, std::uint64_t number);
  Status join(const DockerFrame& docker, std::string_view text, std::uint64_t number);
  Status log_records(std::string_view text, std::uint64_t number);
  bool continues_kmsg(std::string_view text);
  void watch_sequence(std::string_view text);

  const Input& input_;
  std::uint32_t index_;
  Gathering* gathering_;
  const Parts* parts_;
  // The same of all lines.
  SharedText name_, pod_, container_;
  TextMap labels_;
  std::vector<Draft> made_;
  Partials partials_;
  std::optional<std::uint64_t> kmsg_;  // Number of the last record of /dev/kmsg.
  bool last_was_kmsg_ = false;
  bool lost_ = false;  // Before the next line that is made.
  bool empty_ = true;
};

}  // namespace attrib::evidence
