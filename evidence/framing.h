#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "evidence/draft.h"
#include "evidence/frame.h"
#include "evidence/journald.h"

namespace attrib::evidence {

// Takes the transport's framing off `observation.message` and keeps what it says: the stamp, node
// and rank (where the observation does not give its own), the source kinds the line speaks for.
// What the emitter wrote itself (glog headers, `slurmstepd: error:`, program tags other than the
// kernel's) stays, since rules match on it. docs/evidence.md has the table of forms.
void frame(Draft* draft);

// All kinds that a raw log's lines of this kind may speak for.
model::SourceMask may_speak_for(model::SourceKind kind);

// What frame() finds of stamp, node, rank and label in a raw log's line, at a fraction of its cost.
// False for the few lines that are written otherwise than they read: ask frame().
bool glimpse(std::string_view line, model::SourceKind kind, bool rank_given, Frame* out);

// The labels that glimpse() finds, as far as the line's first bytes tell them. None: ask glimpse().
std::optional<Labels> labels_in_front(std::string_view line, model::SourceKind kind,
                                      bool rank_given);
// Does the line begin with a word that begins no frame, label or stamp of its kind? Most do, and
// glimpse() finds nothing in them. What is looked at holds no terminal colours.
bool begins_plainly(std::string_view line, model::SourceKind kind);
// Does glimpse() find a stamp? Of most lines that do not begin plainly, too, the first bytes tell
// that it does not.
enum class MayBeStamped : std::uint8_t {
  No,
  WithNode,  // If so, it finds a node as well.
  Perhaps,
};
MayBeStamped may_be_stamped(std::string_view line, model::SourceKind kind, bool rank_given);

// glimpse() with where the body begins and whom it speaks for, of a line in ASCII whose body is what
// frame() makes of it. Nothing for the few others, and for metrics.
struct Peek {
  Frame frame;
  std::size_t body = 0;
  model::SourceMask speaks = 0;
};
std::optional<Peek> peek(std::string_view line, model::SourceKind kind, bool rank_given, bool in_container);

// As frame(), for an entry of `journalctl -o export`, whose fields are the framing. False: it has no
// message.
bool frame_entry(const JournalFields& fields, Draft* draft);

}  // namespace attrib::evidence
