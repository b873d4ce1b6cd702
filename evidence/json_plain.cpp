#include "evidence/json_plain.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "base/text.h"
#include "evidence/json_shape.h"
#include "evidence/number_text.h"
#include "evidence/words.h"
#include "model/vocabulary.h"

namespace attrib::evidence {
namespace {

enum class Field : std::uint8_t {
  Id,
  Ts,
  Source,
  Node,
  Rank,
  Pod,
  Container,
  File,
  Seq,
  Message,
  Other,
};

Field field_named(std::string_view name) {
  constexpr std::array<std::string_view, 10> kNames = {
      "id", "ts", "source", "node", "rank", "pod", "container", "file", "seq", "message"};
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  return static_cast<Field>(found - kNames.begin());
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

class PlainReader {
 public:
  PlainReader(std::string_view text, Draft* draft) : text_(text), draft_(*draft) {}

  bool read() {
    draft_.json = true;
    if (!take('{')) return false;
    do {
      if (!member()) return false;
    } while (take(','));
    if (!take('}')) return false;
    blanks();
    return at_ == text_.size() && given(Field::Message);
  }

 private:
  [[nodiscard]] bool given(Field field) const {
    return (given_ >> static_cast<unsigned>(field) & 1U) != 0;
  }

  void blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }

  bool take(char c) {
    blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool member() {
    if (!take('"')) return false;
    const std::size_t end = text_.find('"', at_);
    if (end == std::string_view::npos) return false;
    const Field field = field_named(text_.substr(at_, end - at_));  // Names with escapes are none.
    at_ = end + 1;
    if (field == Field::Other || given(field) || !take(':')) return false;
    given_ |= 1U << static_cast<unsigned>(field);
    blanks();
    Observation& o = draft_.observation;
    switch (field) {
      case Field::Id: {
        std::string id;
        if (!text(&id)) return false;
        if (!id.empty()) o.ids = {std::move(id)};
        return true;
      }
      case Field::Ts:
        return time();
      case Field::Source: {
        std::string word;
        if (!text(&word)) return false;
        const auto source = model::parse_word<model::SourceKind>(word);
        if (source) o.source = *source;
        return source.has_value();
      }
      case Field::Node:
        return text(&o.node);
      case Field::Rank: {
        const auto rank = natural(std::numeric_limits<std::int32_t>::max());
        if (rank) o.rank = static_cast<std::uint32_t>(*rank);
        return rank.has_value();
      }
      case Field::Pod:
        return shared(&o.pod);
      case Field::Container:
        return shared(&o.container);
      case Field::File:
        return shared(&o.file);
      case Field::Seq:
        draft_.seq = natural(std::numeric_limits<std::int64_t>::max());
        return draft_.seq.has_value();
      case Field::Message:
        return text(&o.message);
      case Field::Other:
        break;
    }
    return false;
  }

  // A string of valid UTF-8 without \u.
  bool text(std::string* out) {
    if (at_ == text_.size() || text_[at_] != '"') return false;
    ++at_;
    while (true) {
      const std::size_t stop = find_string_stop(text_, at_);
      if (stop == text_.size()) return false;
      out->append(text_, at_, stop - at_);
      at_ = stop + 1;
      if (text_[stop] == '"') break;
      constexpr std::string_view kLetters = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
      if (text_[stop] != '\\' || at_ == text_.size()) return false;
      const std::size_t which = kLetters.find(text_[at_]);
      if (which == std::string_view::npos) return false;
      *out += kMeant[which];
      ++at_;
    }
    if (is_ascii(*out)) return true;
    std::size_t escaped = 0;
    escape_invalid_utf8(*out, &escaped);
    return escaped == 0;
  }

  // A number as written, without sign and exponent.
  std::string_view number(bool fraction) {
    const auto digits = [this](std::size_t at) {
      while (at < text_.size() && text_[at] >= '0' && text_[at] <= '9') ++at;
      return at;
    };
    const std::size_t begin = at_;
    std::size_t end = digits(begin);
    const bool good = end == begin + 1 || (end > begin && text_[begin] != '0');
    if (!good) return {};
    if (fraction && end < text_.size() && text_[end] == '.') {
      const std::size_t behind = digits(end + 1);
      if (behind == end + 1) return {};
      end = behind;
    }
    at_ = end;
    return text_.substr(begin, end - begin);
  }

  bool shared(SharedText* into) {
    std::string read;
    if (!text(&read)) return false;
    *into = read;
    return true;
  }

  std::optional<std::uint64_t> natural(std::int64_t most) {
    const auto value = read_integer(number(false));
    if (!value || *value < 0 || *value > most) return std::nullopt;
    return static_cast<std::uint64_t>(*value);
  }

  bool time() {
    const bool quoted = at_ < text_.size() && text_[at_] == '"';
    if (quoted) {
      if (!shared(&draft_.raw_ts)) return false;
      draft_.stamp = read_stamp(draft_.raw_ts);
    } else {
      draft_.raw_ts = number(true);
      draft_.stamp = read_unix(draft_.raw_ts);
    }
    return draft_.stamp.has_value();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t given_ = 0;  // A bit of each field.
  Draft& draft_;
};

}  // namespace

bool read_plain_observation(std::string_view object, Draft* draft) {
  return PlainReader(object, draft).read();
}

}  // namespace attrib::evidence
