#include "evidence/raw_reader.h"

#include <fmt/format.h>

#include "base/text.h"
#include "evidence/framing.h"
#include "evidence/lines.h"

namespace attrib::evidence {

Status read_raw(const Input& input, std::uint32_t index, Gathering* gathering) {
  LineSplitter splitter(input.bytes);
  while (const auto line = splitter.next()) {
    if (line->text.size() > kMaxObservationBytes) {
      const auto text = fmt::format("line of {} bytes: expected at most {}", line->text.size(),
                                    kMaxObservationBytes);
      if (auto status = gathering->reject(place_name(input.name, line->number), text); !status)
        return status;
      continue;
    }
    Draft draft;
    Observation& o = draft.observation;
    o.source = input.log->kind;
    o.node = input.log->node;
    o.rank = input.log->rank;
    o.file = input.name;
    o.ids.push_back(place_name(input.name, line->number));
    draft.seq = line->number;
    draft.place = {index, line->number};
    std::size_t escaped = 0;
    o.message = escape_invalid_utf8(line->text, &escaped);
    draft.escaped = escaped > 0;
    frame(&draft);
    gathering->drafts.push_back(std::move(draft));
  }
  return Done{};
}

}  // namespace attrib::evidence
