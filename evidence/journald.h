#pragma once

// Entries of systemd's journal (`journalctl -o json`, `-o export`) and Docker's json-file lines:
// one JSON object or block a line of log.

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "evidence/frame.h"

namespace attrib::evidence {

using JournalFields = std::map<std::string, std::string>;

// The body an entry stands for; what else it says goes to `frame`. None: it has no message.
// Programs other than the kernel get their tag in front, `systemd[1]: ...`, as syslog would print
// it.
std::optional<std::string> read_journal_entry(const JournalFields& fields, Frame& frame);

// A message that is a whole JSON object of the journal or of Docker. None: it is not.
std::optional<std::string> read_journal_json(std::string_view message, Frame& frame);

// A line of Docker's json-file, `{"log":"...\n","stream":"stderr","time":"..."}`, without looking
// into its text.
struct DockerFrame {
  std::string stream;
  std::string_view body;  // Between the quotes of `log`, escapes not resolved.
  bool partial = false;   // The body does not end its line.
};
std::optional<DockerFrame> read_docker_frame(std::string_view line);

// Cuts `journalctl -o export` into entries. Bytes are as in the file; fields longer than
// kMaxObservationBytes are left out.
class ExportReader {
 public:
  explicit ExportReader(std::string_view text) : text_(text) {}
  struct Entry {
    JournalFields fields;
    std::uint64_t line = 1;  // Where it begins.
    bool torn = false;       // The text ends inside it.
  };
  std::optional<Entry> next();

 private:
  bool field(Entry* entry);
  std::string_view text_;
  std::size_t at_ = 0;
  std::uint64_t line_ = 1;
};
bool is_journal_export(std::string_view text);

}  // namespace attrib::evidence
