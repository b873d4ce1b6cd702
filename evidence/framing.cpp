#include "evidence/framing.h"

namespace attrib::evidence {

void frame(Draft* draft) {
  draft->observation.speaks = model::source_bit(draft->observation.source);
}

}  // namespace attrib::evidence
