// The one place that includes PEGTL: it turns the text of a declaration into a SyntaxTree by way of
// a control class that leaves a node for each rule with a `kind`. PEGTL's own parse_tree does the
// same with a heap node a rule and takes three times as long to compile.

#include <algorithm>
#include <tao/pegtl.hpp>
#include <tao/pegtl/contrib/analyze.hpp>
#include <type_traits>
#include <vector>

#include "dsl/ast.h"
#include "dsl/grammar/file.h"
#include "dsl/syntax.h"

namespace attrib::dsl {
namespace {

namespace p = tao::pegtl;

template <typename Rule>
concept HasKind = requires {
  Rule::kind;
};
template <typename Rule>
concept HasExpected = requires {
  Rule::expected;
};
template <typename Rule>
concept Nests = requires {
  Rule::nests;
};
template <typename Rule>
constexpr bool kIsToken = false;
template <typename... R>
constexpr bool kIsToken<grammar::token<R...>> = true;
// A rule made of others: it may leave nodes behind when it fails half-way.
template <typename Rule>
constexpr bool kHasParts = !std::is_same_v<typename Rule::subs_t, p::empty_list>;

// Rules whose begin is remembered while they are tried.
template <typename Rule>
constexpr bool kMarked = kHasParts<Rule> || HasKind<Rule> || HasExpected<Rule>;

struct Mark {
  std::size_t nodes;
  const char* at;
  std::uint32_t last_end;
};

struct Builder {
  SyntaxTree& tree;
  const char* base;
  std::vector<Mark> marks;
  std::uint32_t last_end = 0;
  std::size_t depth = 0;
  const char* failed_at = nullptr;

  [[nodiscard]] std::uint32_t offset(const char* at) const {
    return static_cast<std::uint32_t>(at - base);
  }
};

template <typename Rule>
struct TreeControl : p::normal<Rule> {
  static constexpr bool enable = true;

  template <typename Input>
  static void start(const Input& in, Builder& builder) {
    if constexpr (kMarked<Rule>) {
      builder.marks.push_back({builder.tree.size(), in.current(), builder.last_end});
    }
    if constexpr (HasKind<Rule>)
      builder.tree.push_back({Rule::kind, builder.offset(in.current()), 0, 0});
    if constexpr (Nests<Rule>) {
      if (++builder.depth > kMaxNesting) throw p::parse_error(kSlipNesting, in);
    }
  }

  template <typename Input>
  static void success(const Input& in, Builder& builder) {
    if constexpr (kIsToken<Rule>) builder.last_end = builder.offset(in.current());
    if constexpr (HasKind<Rule>) {
      SyntaxNode& node = builder.tree[builder.marks.back().nodes];
      node.end = std::clamp(builder.last_end, node.begin, builder.offset(in.current()));
      node.next = static_cast<std::uint32_t>(builder.tree.size());
    }
    leave(builder);
  }

  template <typename Input>
  static void failure(const Input& /*in*/, Builder& builder) {
    if constexpr (kMarked<Rule>) {
      const Mark& mark = builder.marks.back();
      builder.tree.resize(mark.nodes);
      builder.last_end = mark.last_end;
      if constexpr (HasExpected<Rule>) builder.failed_at = mark.at;
    }
    leave(builder);
  }

 private:
  static void leave(Builder& builder) {
    if constexpr (kMarked<Rule>) builder.marks.pop_back();
    if constexpr (Nests<Rule>) --builder.depth;
  }
};

struct Errors {
  // Only `must` raises; a rule with a message may still fail quietly where another one is tried.
  template <typename Rule>
  static constexpr bool raise_on_failure = false;
  template <typename Rule>
  static constexpr const char* message = [] {
    if constexpr (HasExpected<Rule>) {
      return Rule::expected;
    } else {
      return static_cast<const char*>(nullptr);
    }
  }();
};

template <typename Rule>
using Control = p::must_if<Errors, TreeControl>::control<Rule>;

SyntaxFailure to_failure(const p::parse_error& error, const Builder& builder) {
  const std::string_view message = error.message();
  const std::size_t cut = message.find('\n');
  SyntaxFailure failure;
  failure.expected = std::string(message.substr(0, cut));
  if (cut != std::string_view::npos) failure.hint = std::string(message.substr(cut + 1));
  failure.offset = error.positions().front().byte;
  // A rule that failed in its middle is reported at its begin: that is where what was expected
  // should stand.
  const bool raised = message == kSlipSingleEqual || message == kSlipMissingAt ||
                      message == kSlipNesting || message == kSlipEscape;
  if (!raised && builder.failed_at != nullptr) failure.offset = builder.offset(builder.failed_at);
  return failure;
}

}  // namespace

std::optional<SyntaxFailure> match_declaration(std::string_view text, SyntaxTree& tree) {
  tree.clear();
  p::memory_input<p::tracking_mode::lazy, p::eol::lf> in(text.data(), text.data() + text.size(),
                                                         "");
  Builder builder{tree, text.data(), {}};
  try {
    p::parse<grammar::single_declaration, p::nothing, Control>(in, builder);
    return std::nullopt;
  } catch (const p::parse_error& error) {
    return to_failure(error, builder);
  }
}

std::size_t grammar_problems() { return p::analyze<grammar::file>(); }

}  // namespace attrib::dsl
