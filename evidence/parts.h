#pragma once

// The files of a rotated log as one: their bytes one after the other, and which line of which file
// a line of the whole is.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "evidence/byte_source.h"
#include "evidence/draft.h"
#include "evidence/read.h"

namespace attrib::evidence {

class Parts {
 public:
  struct Part {
    SharedText name;
    std::uint64_t lines_before = 0;  // Line ends of the whole before it.
    std::uint64_t first_line = 1;    // The first that begins in it.
    bool lost = false;               // Lines may be missing where it begins.
  };

  // FILE:LINE of a line of the whole. Its bytes have been read.
  [[nodiscard]] IdList place(std::uint64_t line) const;
  // Says of the drafts of `input` from `first` on where lines may be missing before them.
  void mark_losses(std::uint32_t input, std::size_t first, Drafts* drafts) const;

  void begin(Part part) { parts_.push_back(std::move(part)); }

 private:
  std::vector<Part> parts_;
};

// Reads `input.parts`, each opened when its turn comes. A file that ends inside a line is gone on
// with in the next one (logrotate's copytruncate copies while the program writes), unless that
// begins with a line of its own; zero bytes at the front of a file, which a program leaves that
// writes on behind a truncation, are left out. Either way, and where a file of the set is missing,
// its part is `lost`. All must outlive the source.
std::unique_ptr<ByteSource> parts_source(const Input& input, Parts* parts);

// The bytes of one input that is no set.
Result<std::unique_ptr<ByteSource>> open_input(const Input& input);

// Does a log's line begin here? True of texts that begin with a stamp or a launcher's label.
bool begins_line(model::SourceKind kind, std::string_view text);

}  // namespace attrib::evidence
