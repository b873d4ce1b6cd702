#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "program/program.h"

namespace attrib::program {

// The bytes of a program: docs/program-format.md. Deterministic.
std::string encode(const Program& program);

// Reads them back. Refuses, with the byte offset and section, anything that is not well formed: bad magic, a newer
// container or major version, sections out of bounds or overlapping, a digest that does not fit, counts that the
// bytes cannot hold, an index past its table. Memory stays within a small multiple of the input size.
// `program_digest`, if given, gets what digest() would say, without encoding the program again.
Result<Program> decode(std::string_view bytes, std::string* program_digest = nullptr);

// The same without what is there for people (places of instructions, sources, tests), from the first
// bytes_for_runs() (container.h) of a file of `size` bytes. What comes after them is not looked at.
Result<Program> decode_for_runs(std::string_view beginning, std::size_t size,
                                std::string* program_digest);

// "sha256:..." over everything but sources, spans and tests: what the verdict names.
std::string digest(const Program& program);

// Rewrites the section digests of damaged bytes so that decode() gets past them; for fuzzing.
std::string with_repaired_digests(std::string bytes);

}  // namespace attrib::program
