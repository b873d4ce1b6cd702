#include "model/required_literals.h"

#include <algorithm>
#include <set>
#include <utility>

#include "model/rarity.h"

namespace attrib::model {
namespace {

using Phrase =
    std::vector<std::string>;  // Words with blanks between them; the outer ones may be empty.

// Neighbouring literals and blanks outside optional parts.
std::vector<Phrase> phrases(const LineTemplate& line) {
  std::vector<Phrase> out;
  Phrase open;
  bool optional = false;
  const auto close = [&] {
    if (!open.empty()) out.push_back(std::exchange(open, {}));
  };
  for (const TemplatePart& part : line.parts) {
    if (part.kind == PartKind::OptionalBegin) optional = true;
    const bool text = part.kind == PartKind::Literal || part.kind == PartKind::Blank;
    if (optional || !text) {
      close();
    } else if (part.kind == PartKind::Literal) {
      if (open.empty()) open.emplace_back();
      open.back() += part.text;
    } else {
      if (open.empty()) open.emplace_back();
      open.emplace_back();
    }
    if (part.kind == PartKind::OptionalEnd) optional = false;
  }
  close();
  return out;
}

// The words from `first` to `last` as one text, and the same cut at each blank that may be longer.
std::vector<std::string> spellings(const Phrase& phrase, std::size_t first, std::size_t last) {
  std::set<std::string> out;
  std::string text;
  for (std::size_t i = first; i <= last; ++i) {
    text += phrase[i];
    if (i == last) break;
    for (const char* longer : {"  ", "\t", " \t"}) out.insert(text + longer);
    text += ' ';
  }
  out.insert(text);
  return {out.begin(), out.end()};
}

// A text that is too short to be sampled is not chosen while there is another.
double weight(const std::string& literal) {
  return expected_hits(literal) * (literal.size() < kMinFilterLiteral ? 1e3 : 1) +
         (literal.size() < kMinFilterLiteral ? 1e-3 : 0);
}

}  // namespace

RequiredLiterals required_literals(const LineTemplate& line) {
  RequiredLiterals best;
  if (!line.regex.empty()) return best;
  double least = 0;
  for (const Phrase& phrase : phrases(line)) {
    for (std::size_t first = 0; first < phrase.size(); ++first) {
      for (std::size_t last = first; last < phrase.size(); ++last) {
        if (phrase[first].empty() || phrase[last].empty()) continue;
        std::vector<std::string> set = spellings(phrase, first, last);
        double sum = 0;
        for (const std::string& each : set) sum += weight(each);
        if (!best.any_of.empty() && sum >= least) continue;
        least = sum;
        best.any_of = std::move(set);
      }
    }
  }
  if (best.any_of.empty()) return best;
  best.expected_hits = 0;
  for (const std::string& each : best.any_of) best.expected_hits += expected_hits(each);
  return best;
}

}  // namespace attrib::model
