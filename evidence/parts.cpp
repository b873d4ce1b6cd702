#include "evidence/parts.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "evidence/framing.h"
#include "evidence/line_count.h"
#include "evidence/peeked.h"

namespace attrib::evidence {
namespace {

constexpr std::size_t kHead = std::size_t{4} << 10U;  // Bytes that show how a line begins.

class PartsSource : public ByteSource {
 public:
  PartsSource(const Input& input, Parts* parts) : input_(input), parts_(parts) {}

  Result<std::size_t> read(char* into, std::size_t most) override {
    while (true) {
      if (!now_) {
        if (next_ == input_.parts.size()) return std::size_t{0};
        ATTRIB_TRY(const bool line_ends_here, open_next());
        if (line_ends_here) {
          *into = '\n';
          return std::size_t{1};
        }
      }
      ATTRIB_TRY(const std::size_t got, now_->read(into, most));
      if (got > 0) {
        lines_ += count_line_ends({into, got});
        last_ = into[got - 1];
        return got;
      }
      now_.reset();
    }
  }

 private:
  // True: the line that the file before was cut in has to end.
  Result<bool> open_next() {
    const InputPart& part = input_.parts[next_++];
    ATTRIB_TRY(std::unique_ptr<ByteSource> opened, open_input(*part.file));
    now_.emplace(std::move(opened));
    ATTRIB_TRY(const std::size_t zeros, skip_zeros());
    ATTRIB_TRY(const std::string_view head, now_->peek(kHead));
    const bool cut = last_ != '\n' && !head.empty();
    const bool ends = cut && begins_line(input_.log->kind, head.substr(0, head.find('\n')));
    if (ends) {
      ++lines_;
      last_ = '\n';
    }
    const std::uint64_t first = lines_ + (cut && !ends ? 2 : 1);
    parts_->begin({part.file->name, lines_, first, cut || zeros > 0 || !part.missing_before.empty()});
    return ends;
  }

  Result<std::size_t> skip_zeros() {
    std::size_t zeros = 0;
    while (true) {
      ATTRIB_TRY(const std::string_view head, now_->peek(kHead));
      const std::size_t here = std::min(head.find_first_not_of('\0'), head.size());
      now_->skip(here);
      zeros += here;
      if (here < head.size() || head.empty()) return zeros;
    }
  }

  const Input& input_;
  Parts* parts_;
  std::size_t next_ = 0;
  std::optional<Peeked> now_;
  std::uint64_t lines_ = 0;  // Line ends handed out.
  char last_ = '\n';
};

}  // namespace

IdList Parts::place(std::uint64_t line) const {
  auto at = std::upper_bound(
      parts_.begin(), parts_.end(), line,
      [](std::uint64_t number, const Part& part) { return number < part.first_line; });
  if (at != parts_.begin()) --at;
  return IdList::of_line(at->name, line - at->lines_before);
}

void Parts::mark_losses(std::uint32_t input, std::size_t first,
                        Drafts* drafts) const {
  if (std::none_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.lost; }))
    return;
  std::vector<Draft*> order;
  for (std::size_t i = first; i < drafts->size(); ++i) {
    if ((*drafts)[i].place.input == input) order.push_back(&(*drafts)[i]);
  }
  std::sort(order.begin(), order.end(),
            [](const Draft* a, const Draft* b) { return a->place < b->place; });
  // Of each host and rank: what one of them lost says nothing about another.
  std::set<std::tuple<std::string, std::optional<std::uint32_t>, LabelKind, std::uint32_t>> marked;
  auto part = parts_.begin();
  bool any = false;
  for (Draft* d : order) {
    for (; part != parts_.end() && part->first_line <= d->place.line; ++part) {
      if (!part->lost) continue;
      any = true;
      marked.clear();
    }
    if (!any) continue;
    const Observation& o = d->observation;
    if (marked.emplace(o.node, o.rank, d->label_kind, d->label).second) d->lost_before = true;
  }
}

std::unique_ptr<ByteSource> parts_source(const Input& input, Parts* parts) {
  return std::make_unique<PartsSource>(input, parts);
}

Result<std::unique_ptr<ByteSource>> open_input(const Input& input) {
  if (input.open) return input.open();
  return memory_source(input.bytes);
}

bool begins_line(model::SourceKind kind, std::string_view text) {
  Draft draft;
  draft.observation.source = kind;
  draft.observation.message = escape_invalid_utf8(text);
  frame(&draft);
  return draft.stamp || draft.label_kind != LabelKind::None || draft.observation.rank;
}

}  // namespace attrib::evidence
