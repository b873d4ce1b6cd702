// Reads pickles without Python's machine: a stack, a memo, and containers that are filled in place.
// An opcode outside the plain ones ends the reading, so nothing a dump holds is ever imported,
// called or built.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "evidence/plain_data.h"

namespace attrib::evidence {
namespace {

using Kind = PlainValue::Kind;

enum class Use : std::uint8_t {
  Unknown,
  Plain,
  Imports,
  Calls,
  Builds,
  Persistent,
  Buffers,
  Printed,
  Bytes,
  Unused,
};

enum class Op : std::uint8_t {
#define ATTRIB_PICKLE_OPCODE(byte, name, use) name = byte,
#include "evidence/pickle_opcodes.def"
};

struct OpcodeRow {
  Use use = Use::Unknown;
  std::string_view name;
};

const OpcodeRow& row_of(std::uint8_t byte) {
  static const auto kRows = [] {
    std::vector<OpcodeRow> rows(256);
#define ATTRIB_PICKLE_OPCODE(byte, name, use) \
  rows[static_cast<std::uint8_t>(byte)] = OpcodeRow{Use::use, #name};
#include "evidence/pickle_opcodes.def"
    return rows;
  }();
  return kRows[byte];
}

std::string_view why_not(Use use) {
  switch (use) {
    case Use::Imports:
      return "imports an object";
    case Use::Calls:
      return "calls what was imported";
    case Use::Builds:
      return "fills an object";
    case Use::Persistent:
      return "asks for an object that is kept elsewhere";
    case Use::Buffers:
      return "asks for a buffer that is kept elsewhere";
    case Use::Printed:
      return "belongs to the printed form of protocol 0";
    case Use::Bytes:
      return "holds raw bytes";
    default:
      return "has no place in plain data";
  }
}

class Unpickler {
 public:
  explicit Unpickler(std::string_view bytes) : bytes_(bytes) {}

  Result<PlainData> run() {
    while (!stopped_) {
      opcode_at_ = at_;
      if (at_ >= bytes_.size()) return at("the data ends before its STOP");
      const auto byte = static_cast<std::uint8_t>(bytes_[at_++]);
      const OpcodeRow& row = row_of(byte);
      if (row.use == Use::Unknown) return at(fmt::format("0x{:02x} is no opcode", byte));
      if (row.use != Use::Plain) {
        return at(fmt::format("opcode {} {}; only plain data is read", row.name, why_not(row.use)));
      }
      if (!step(static_cast<Op>(byte))) return at(fmt::format("opcode {} {}", row.name, problem_));
    }
    if (at_ != bytes_.size()) {
      opcode_at_ = at_;
      return at("data behind the end of the pickle");
    }
    return std::move(data_);
  }

 private:
  [[nodiscard]] Error at(std::string_view what) const {
    return Error{fmt::format("byte {}: {}", opcode_at_, what)};
  }
  bool wrong(std::string what) {
    problem_ = std::move(what);
    return false;
  }

  bool step(Op op);
  bool sequence(Op op);
  bool memo(Op op);

  // -- Operands.
  std::optional<std::uint64_t> little(std::size_t bytes) {
    if (bytes_.size() - at_ < bytes) {
      wrong("is cut short");
      return std::nullopt;
    }
    std::uint64_t value = 0;
    for (std::size_t i = bytes; i-- > 0;)
      value = value << 8U | static_cast<std::uint8_t>(bytes_[at_ + i]);
    at_ += bytes;
    return value;
  }
  bool integer(std::size_t bytes, bool with_sign) {
    const auto raw = little(bytes);
    if (!raw) return false;
    auto value = static_cast<std::int64_t>(*raw);
    if (with_sign && bytes > 0 && bytes < 8) {
      const std::uint64_t sign = std::uint64_t{1} << (bytes * 8 - 1);
      value = static_cast<std::int64_t>(*raw ^ sign) - static_cast<std::int64_t>(sign);
    }
    PlainValue made;
    made.kind = Kind::Integer;
    made.number = value;
    return push(std::move(made));
  }
  bool long_integer(std::size_t size_bytes) {
    const auto size = little(size_bytes);
    if (!size) return false;
    if (*size > 8) return wrong(fmt::format("has {} bytes, at most 8 are read", *size));
    return integer(static_cast<std::size_t>(*size), true);
  }
  bool real() {
    if (bytes_.size() - at_ < 8) return wrong("is cut short");
    at_ += 8;
    return push(Kind::Real);
  }
  bool text(std::size_t size_bytes) {
    const auto size = little(size_bytes);
    if (!size) return false;
    if (*size > bytes_.size() - at_) return wrong("is cut short");
    PlainValue made;
    made.kind = Kind::Text;
    made.text = bytes_.substr(at_, static_cast<std::size_t>(*size));
    at_ += static_cast<std::size_t>(*size);
    return push(std::move(made));
  }

  // -- Stack.
  bool push(PlainValue value) {
    if (data_.values.size() >= kMaxPlainValues)
      return wrong(fmt::format("makes more than {} values", kMaxPlainValues));
    stack_.push_back(static_cast<std::uint32_t>(data_.values.size()));
    data_.values.push_back(std::move(value));
    return true;
  }
  bool push(Kind kind, std::int64_t number = 0) {
    PlainValue made;
    made.kind = kind;
    made.number = number;
    return push(std::move(made));
  }
  // Values above the last mark (or the bottom) of the stack.
  [[nodiscard]] std::size_t above() const {
    return stack_.size() - (marks_.empty() ? 0 : marks_.back());
  }
  bool put_into(std::uint32_t container, std::uint32_t item) {
    PlainValue& into = data_.values[container];
    into.depth = std::max(into.depth, data_.values[item].depth + 1);
    if (into.depth > kMaxPlainDepth)
      return wrong(fmt::format("nests deeper than {}", kMaxPlainDepth));
    // Shared parts are counted once as values and here as items, or a few bytes could fill memory.
    if (++items_ > kMaxPlainValues)
      return wrong(fmt::format("makes more than {} items", kMaxPlainValues));
    into.items.push_back(item);
    return true;
  }
  // The top `count` values go into the container below them, or into a new one.
  bool fill(std::size_t count, Kind kind, bool fresh) {
    if (kind == Kind::Dictionary && count % 2 != 0) return wrong("has a key without a value");
    const std::size_t first = stack_.size() - count;
    const std::vector<std::uint32_t> items(stack_.begin() + static_cast<std::ptrdiff_t>(first),
                                           stack_.end());
    stack_.resize(first);
    if (fresh && !push(kind)) return false;
    if (above() == 0 || data_.values[stack_.back()].kind != kind)
      return wrong("finds nothing to fill");
    const std::uint32_t container = stack_.back();
    for (const std::uint32_t item : items) {
      if (!put_into(container, item)) return false;
    }
    return true;
  }
  bool fill_from_mark(Kind kind, bool fresh) {
    if (marks_.empty()) return wrong("finds no mark");
    const std::size_t count = above();
    marks_.pop_back();
    return fill(count, kind, fresh);
  }
  bool take(std::size_t count, Kind kind, bool fresh) {
    if (above() < count + (fresh ? 0 : 1)) return wrong("finds too few values");
    return fill(count, kind, fresh);
  }
  bool remember(std::uint64_t key) {
    if (above() == 0) return wrong("finds no value to keep");
    memo_[key] = stack_.back();
    return true;
  }
  bool recall(std::uint64_t key) {
    const auto found = memo_.find(key);
    if (found == memo_.end()) return wrong(fmt::format("asks for {}, which was not kept", key));
    if (stack_.size() >= kMaxPlainValues)
      return wrong(fmt::format("makes more than {} values", kMaxPlainValues));
    stack_.push_back(found->second);
    return true;
  }

  std::string_view bytes_;
  std::size_t at_ = 0, opcode_at_ = 0;
  PlainData data_;
  std::vector<std::uint32_t> stack_;
  std::vector<std::size_t> marks_;  // Sizes of the stack.
  std::unordered_map<std::uint64_t, std::uint32_t> memo_;
  std::size_t items_ = 0;
  std::string problem_;
  bool stopped_ = false;
};

bool Unpickler::memo(Op op) {
  const std::size_t bytes = op == Op::BINGET || op == Op::BINPUT ? 1 : 4;
  const auto key = little(bytes);
  if (!key) return false;
  return op == Op::BINGET || op == Op::LONG_BINGET ? recall(*key) : remember(*key);
}

bool Unpickler::sequence(Op op) {
  switch (op) {
    case Op::MARK:
      if (marks_.size() >= kMaxPlainDepth)
        return wrong(fmt::format("nests deeper than {}", kMaxPlainDepth));
      marks_.push_back(stack_.size());
      return true;
    case Op::EMPTY_DICT:
      return push(Kind::Dictionary);
    case Op::EMPTY_LIST:
    case Op::EMPTY_TUPLE:
      return push(Kind::List);
    case Op::DICT:
      return fill_from_mark(Kind::Dictionary, true);
    case Op::LIST:
    case Op::TUPLE:
      return fill_from_mark(Kind::List, true);
    case Op::APPENDS:
      return fill_from_mark(Kind::List, false);
    case Op::SETITEMS:
      return fill_from_mark(Kind::Dictionary, false);
    case Op::APPEND:
      return take(1, Kind::List, false);
    case Op::SETITEM:
      return take(2, Kind::Dictionary, false);
    case Op::TUPLE1:
      return take(1, Kind::List, true);
    case Op::TUPLE2:
      return take(2, Kind::List, true);
    case Op::TUPLE3:
      return take(3, Kind::List, true);
    default:
      return memo(op);
  }
}

bool Unpickler::step(Op op) {
  switch (op) {
    case Op::PROTO: {
      const auto version = little(1);
      if (version && *version > 5) return wrong(fmt::format("announces protocol {}", *version));
      return version.has_value();
    }
    case Op::FRAME: {
      const auto size = little(8);
      if (size && *size > bytes_.size() - at_) return wrong("is cut short");
      return size.has_value();
    }
    case Op::STOP:
      if (stack_.size() != 1 || !marks_.empty()) return wrong("does not leave one value");
      data_.root = stack_.back();
      stopped_ = true;
      return true;
    case Op::NONE:
      return push(Kind::Nothing);
    case Op::NEWTRUE:
      return push(Kind::Truth, 1);
    case Op::NEWFALSE:
      return push(Kind::Truth, 0);
    case Op::BININT:
      return integer(4, true);
    case Op::BININT1:
      return integer(1, false);
    case Op::BININT2:
      return integer(2, false);
    case Op::LONG1:
      return long_integer(1);
    case Op::LONG4:
      return long_integer(4);
    case Op::BINFLOAT:
      return real();
    case Op::BINUNICODE:
      return text(4);
    case Op::SHORT_BINUNICODE:
      return text(1);
    case Op::BINUNICODE8:
      return text(8);
    case Op::MEMOIZE:
      return remember(memo_.size());
    default:
      return sequence(op);
  }
}

}  // namespace

Result<PlainData> read_pickle(std::string_view bytes) { return Unpickler(bytes).run(); }

bool begins_like_pickle(std::string_view bytes) {
  return bytes.size() >= 2 && bytes[0] == '\x80' && static_cast<std::uint8_t>(bytes[1]) <= 5;
}

}  // namespace attrib::evidence
