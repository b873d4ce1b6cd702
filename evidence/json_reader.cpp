#include "evidence/json_reader.h"

#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "evidence/json_keep.h"
#include "evidence/json_objects.h"
#include "evidence/json_scan.h"
#include "evidence/line_blocks.h"
#include "evidence/lines.h"

namespace attrib::evidence {
namespace {

// Is the first line, or are most lines (of the first thousand), one whole object?
bool looks_like_lines(std::string_view text) {
  constexpr std::size_t kLooked = 1000;
  std::size_t whole = 0, other = 0;
  LineSplitter splitter(text);
  for (auto line = splitter.next(); line && whole + other < kLooked; line = splitter.next()) {
    const std::string_view trimmed = trimmed_blanks(line->text);
    if (trimmed.empty()) continue;
    const bool is_whole = is_whole_object(trimmed);
    if (is_whole && whole + other == 0) return true;
    ++(is_whole ? whole : other);
  }
  return whole > other;
}

// Does a text that goes on behind `head` begin with a line that is one whole object, and with a line
// behind it that is not blank?
bool begins_with_line(std::string_view head) {
  LineSplitter splitter(head);
  bool found = false;
  for (auto line = splitter.next(); line && line->ended; line = splitter.next()) {
    const std::string_view trimmed = trimmed_blanks(line->text);
    if (trimmed.empty()) continue;
    if (found) return true;
    if (!is_whole_object(trimmed)) return false;
    found = true;
  }
  return false;
}

Result<std::unique_ptr<ByteSource>> opened(const Input& input) {
  if (input.open) return input.open();
  return memory_source(input.bytes);
}

// Up to a block, or all there is: shorter than a block then.
Result<std::string> read_head(ByteSource* source) {
  std::string head(LineBlocks::kBlockBytes, '\0');
  std::size_t size = 0;
  while (size < head.size()) {
    ATTRIB_TRY(const std::size_t got, source->read(head.data() + size, head.size() - size));
    if (got == 0) break;
    size += got;
  }
  head.resize(size);
  return head;
}

// A pipe cannot.
bool can_be_read_again(const Input& input) {
  std::error_code code;
  return !input.open || std::filesystem::is_regular_file(input.name, code);
}

class JsonReader {
 public:
  JsonReader(const Input& input, std::uint32_t index, Gathering* gathering)
      : input_(input),
        gathering_(gathering),
        // Who is strict wants to hear of each bad line.
        filter_(gathering->options().strict ? nullptr : gathering->options().filter),
        objects_(input, index, gathering) {}

  Status read() {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    ATTRIB_TRY(const auto source, opened(input_));
    ATTRIB_TRY(std::string head, read_head(source.get()));
    const bool all = head.size() < LineBlocks::kBlockBytes;
    if (head.starts_with(kByteOrderMark)) head.erase(0, kByteOrderMark.size());
    if (!all && begins_with_line(head)) return lines(std::move(head), source.get());
    if (!all) {
      ATTRIB_TRY(const std::string rest, read_all(source.get(), kMaxInputBytes, input_.name));
      head += rest;
    }
    return whole(head);
  }

 private:
  // What is at hand as a whole, because it is short or may be a document.
  Status whole(std::string_view text) {
    const std::string_view trimmed = trimmed_blanks(text);
    if (trimmed.empty()) {
      return Error{input_.name + ": empty: expected a JSON document or one JSON object a line"};
    }
    JsonScanner scan(text);
    if (trimmed.front() == '{' && scan.value() && scan.done()) return objects_.document(text, 1);
    if (looks_like_lines(text)) return lines("", memory_source(text).get());
    if (trimmed.front() == '{') return objects_.document(text, 1);
    return Error{input_.name + ": not JSON: expected a JSON document or one JSON object a line"};
  }

  Status lines(std::string head, ByteSource* more) {
    LineBlocks blocks(std::move(head), more, input_.name);
    const auto mark = gathering_->mark();
    ATTRIB_TRY(const bool sure, keep_json_lines(&blocks, filter_, &objects_, gathering_));
    if (sure || !can_be_read_again(input_)) return Done{};
    gathering_->back_to(mark);
    filter_ = nullptr;
    return read();
  }

  const Input& input_;
  Gathering* gathering_;
  LineFilter* filter_;
  JsonObjects objects_;
};

}  // namespace

Status read_json(const Input& input, std::uint32_t index, Gathering* gathering) {
  return JsonReader(input, index, gathering).read();
}

}  // namespace attrib::evidence
