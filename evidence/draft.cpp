#include "evidence/draft.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

namespace attrib::evidence {
namespace {

// Names in problems come from the input: no control character reaches a terminal, no line is
// endless.
std::string printable(std::string_view text) {
  constexpr std::size_t kLongest = 600;
  std::string out;
  for (const char c : text.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\x{:02X}", byte);
    } else {
      out += c;
    }
  }
  if (text.size() > kLongest) {
    while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0xC0U) == 0x80U)
      out.pop_back();
    if (!out.empty() && (static_cast<unsigned char>(out.back()) & 0x80U) != 0) out.pop_back();
    out += "...";
  }
  return out;
}

auto content_of(const Draft& d) {
  const Observation& o = d.observation;
  return std::tuple_cat(std::tie(o.source, o.node, o.rank, o.pod, o.container, o.file, d.stamp), std::tuple(d.until ? std::optional(d.until->stamp) : std::nullopt), std::tie(d.seq,
                  d.prefix,
                  o.message, o.is_metric, o.name, o.value, o.labels, o.is_record, o.record));
}

auto declaration_of(const SourceDeclaration& d) {
  return std::tie(d.status.kind, d.status.node, d.status.rank, d.status.family, d.status.status,
                  d.status.reason, d.status.clock_error, d.status.lag, d.year, d.zone_offset,
                  d.boot);
}

std::vector<std::pair<model::Nanos, model::Nanos>> intervals_of(const SourceDeclaration& d) {
  std::vector<std::pair<model::Nanos, model::Nanos>> out;
  for (const Interval& each : d.status.coverage) out.emplace_back(each.begin, each.end);
  return out;
}

}  // namespace

StreamKey stream_key_of(const Draft& d) {
  return {d.observation.node, d.observation.rank, d.label_kind, d.label};
}

Stream stream_of(const Observation& o) {
  return {o.source, o.node, o.pod.str(), o.container.str(), o.file.str(), o.rank};
}

bool same_content(const Draft& a, const Draft& b) { return content_of(a) == content_of(b); }

std::strong_ordering compare_content(const Draft& a, const Draft& b) {
  return content_of(a) <=> content_of(b);
}

bool operator==(const SourceDeclaration& a, const SourceDeclaration& b) {
  return declaration_of(a) == declaration_of(b) && intervals_of(a) == intervals_of(b);
}

bool operator<(const SourceDeclaration& a, const SourceDeclaration& b) {
  if (declaration_of(a) != declaration_of(b)) return declaration_of(a) < declaration_of(b);
  return intervals_of(a) < intervals_of(b);
}

Status Gathering::reject(const std::string& where, std::string_view text) {
  const auto line = [&] { return printable(where + ": " + std::string(text)); };
  if (options_.strict) return Error{line()};
  ++rejected_;
  if (problems_.size() < kMaxProblems) problems_.push_back(line());
  return Done{};
}

Status Gathering::room() const {
  if (drafts.size() <= options_.most_observations) return Done{};
  return Error{fmt::format("more than {} observations are to be kept", options_.most_observations)};
}

void Gathering::absorb(Gathering&& later) {
  const auto append = [](auto* to, auto* from) {
    if (to->empty()) {
      *to = std::move(*from);
    } else {
      std::move(from->begin(), from->end(), std::back_inserter(*to));
    }
    from->clear();
  };
  if (drafts.empty()) {
    drafts = std::move(later.drafts);
  } else {
    later.drafts.drain([this](Draft&& each) { drafts.push_back(std::move(each)); });
  }
  append(&headers, &later.headers);
  append(&raw_sources, &later.raw_sources);
  append(&repeats, &later.repeats);
  passed += later.passed;
  copies += later.copies;
  rejected_ += later.rejected_;
  append(&problems_, &later.problems_);
  if (problems_.size() > kMaxProblems) problems_.resize(kMaxProblems);
}

Gathering::Mark Gathering::mark() const {
  return {drafts.size(), headers.size(), raw_sources.size(), problems_.size(), passed, rejected_};
}

void Gathering::back_to(const Mark& mark) {
  const auto cut = [](auto* list, std::size_t size) {
    list->erase(list->begin() + static_cast<std::ptrdiff_t>(size), list->end());
  };
  drafts.cut(mark.drafts);
  cut(&headers, mark.headers);
  cut(&raw_sources, mark.raw_sources);
  cut(&problems_, mark.problems);
  passed = mark.passed;
  rejected_ = mark.rejected;
}

std::vector<std::string> Gathering::problems() const {
  std::vector<std::string> out = problems_;
  if (rejected_ > problems_.size())
    out.push_back(fmt::format("... and {} more", rejected_ - problems_.size()));
  return out;
}

std::string place_name(const std::string& input, std::uint64_t line) {
  const fmt::format_int number(line);
  std::string out;
  out.reserve(input.size() + 1 + number.size());
  out += input;
  out += ':';
  out.append(number.data(), number.size());
  return out;
}

}  // namespace attrib::evidence
