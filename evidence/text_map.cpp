#include "evidence/text_map.h"

namespace attrib::evidence {

const TextMap::Map& TextMap::get() const {
  static const Map kNone;
  return map_ ? *map_ : kNone;
}

}  // namespace attrib::evidence
