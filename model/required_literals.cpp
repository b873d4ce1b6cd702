#include "model/required_literals.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include "model/line_program.h"
#include "model/rarity.h"

namespace attrib::model {
namespace {

using Texts = std::vector<std::string>;

constexpr std::size_t kMaxWords = 4;     // Each more costs three literals.
constexpr std::size_t kKeptOfWord = 64;  // The end of a longer first word will do.
constexpr std::size_t kMaxPhrase = 100;  // Bytes
constexpr const char* kLonger[] = {"\t", "  ",
                                   " \t"};  // How a run of blanks begins that is not one blank.

bool is_text(const LineTemplate& line, std::size_t part) {
  return part < line.parts.size() && line.parts[part].kind == PartKind::Literal;
}
bool is_blank(const LineTemplate& line, std::size_t part) {
  return part < line.parts.size() && line.parts[part].kind == PartKind::Blank;
}

// Calls `each` with the index of each literal part outside optional parts.
template <typename Each>
void for_required_texts(const LineTemplate& line, const Each& each) {
  bool optional = false;
  for (std::size_t i = 0; i < line.parts.size(); ++i) {
    const PartKind kind = line.parts[i].kind;
    if (kind == PartKind::OptionalBegin) optional = true;
    if (kind == PartKind::OptionalEnd) optional = false;
    if (!optional && kind == PartKind::Literal && !line.parts[i].text.empty()) each(i);
  }
}

RequiredLiterals made(std::set<std::string> texts) {
  RequiredLiterals out;
  out.expected_hits = 0;
  for (const std::string& each : texts) out.expected_hits += expected_hits(each);
  out.any_of = {texts.begin(), texts.end()};
  return out;
}

// The phrases that begin with part `first` after one of `leads`.
class Phrases {
 public:
  Phrases(const LineTemplate& line, std::vector<RequiredLiterals>* out) : line_(line), out_(out) {}

  void from(std::size_t first, const Texts& leads) {
    std::set<std::string> cut;  // What stands in front of the first longer blank.
    std::string text = line_.parts[first].text;
    if (text.size() > kKeptOfWord) {
      text.erase(0, text.size() - kKeptOfWord);
      if (leads.size() > 1) return;
    }
    std::size_t part = first;
    for (std::size_t words = 1; words <= kMaxWords && text.size() <= kMaxPhrase; ++words) {
      while (is_text(line_, part + 1)) text += line_.parts[++part].text;
      if (text.size() > kMaxPhrase) return;
      add(leads, cut, {text});
      if (!is_blank(line_, part + 1)) return;
      add(leads, cut, {text + ' ', text + '\t'});
      if (!is_text(line_, part + 2)) return;
      for (const char* longer : kLonger) cut.insert(text + longer);
      part += 2;
      text += ' ' + line_.parts[part].text;
    }
  }

 private:
  void add(const Texts& leads, const std::set<std::string>& cut, const Texts& ends) {
    std::set<std::string> texts;
    for (const std::string& lead : leads) {
      for (const std::string& each : cut) texts.insert(lead + each);
      for (const std::string& each : ends) texts.insert(lead + each);
    }
    out_->push_back(made(std::move(texts)));
  }

  const LineTemplate& line_;
  std::vector<RequiredLiterals>* out_;
};

double cost(const RequiredLiterals& choice) {
  double sum = 0;
  for (const std::string& each : choice.any_of) sum += filter_cost(each);
  return sum;
}

bool ends_with_one(const std::string& text, std::string_view more, const Texts& literals) {
  return std::any_of(literals.begin(), literals.end(), [&](const std::string& each) {
    if (each.size() <= more.size()) return more.ends_with(each);
    const std::size_t left = each.size() - more.size();
    return std::string_view(each).ends_with(more) && left <= text.size() &&
           text.compare(text.size() - left, left, each, 0, left) == 0;
  });
}

// Does each way to match from part `part` on, after `lead`, come to hold one of `literals` that
// ends with a part or in the blanks behind it?
bool covered(const LineTemplate& line, std::size_t part, std::string text, const Texts& literals,
             std::size_t longest) {
  text += line.parts[part].text;
  if (text.size() > longest) text.erase(0, text.size() - longest);
  // What is longer than all of them ends with one that began later: it is found from there.
  const std::size_t enough = text.size() + longest;
  while (text.size() <= enough) {
    if (ends_with_one(text, "", literals)) return true;
    if (is_text(line, part + 1)) {
      text += line.parts[++part].text;
      continue;
    }
    if (!is_blank(line, part + 1) || !ends_with_one(text, "\t", literals)) return false;
    if (ends_with_one(text, " ", literals)) return true;
    if (!is_text(line, part + 2) || !ends_with_one(text, "  ", literals) ||
        !ends_with_one(text, " \t", literals)) {
      return false;
    }
    part += 2;
    text += ' ' + line.parts[part].text;
  }
  return false;
}

std::vector<Texts> texts_of_regex(const LineTemplate& line) {
  const auto program = LineProgram::compile(line.regex, line.at_start);
  return program ? program->required_texts() : std::vector<Texts>();
}

}  // namespace

// A line looked at costs about a microsecond. A literal costs what its words make the tables of the
// search hit by chance, more so where they are short; one that is too short for the tables costs a
// pass of its own (vm/literal_scan.h).
double filter_cost(const std::string& literal) {
  const double own = literal.size() >= kLongFilterLiteral  ? 6e-8
                     : literal.size() >= kMinFilterLiteral ? 3e-7
                                                           : 3e-4;
  return expected_hits(literal) + own;
}

std::vector<RequiredLiterals> literal_choices(const LineTemplate& line) {
  std::vector<RequiredLiterals> out;
  if (!line.regex.empty()) {
    for (Texts& texts : texts_of_regex(line)) {
      const bool fits = std::all_of(texts.begin(), texts.end(), [](const std::string& each) {
        return !each.empty() && each.size() <= kMaxFilterLiteral;
      });
      if (fits && texts.size() <= kMaxFilterLiterals)
        out.push_back(made({texts.begin(), texts.end()}));
    }
  }
  for_required_texts(line, [&](std::size_t part) {
    Phrases phrases(line, &out);
    phrases.from(part, {""});
    // A blank in front of an optional part's end is optional itself.
    if (part > 0 && is_blank(line, part - 1)) phrases.from(part, {" ", "\t"});
  });
  std::erase_if(out, [](const RequiredLiterals& each) {
    return each.any_of.empty() || each.any_of.size() > kMaxFilterLiterals;
  });
  std::stable_sort(
      out.begin(), out.end(),
      [](const RequiredLiterals& a, const RequiredLiterals& b) { return cost(a) < cost(b); });
  return out;
}

RequiredLiterals required_literals(const LineTemplate& line) {
  auto choices = literal_choices(line);
  return choices.empty() ? RequiredLiterals() : std::move(choices.front());
}

bool requires_one_of(const LineTemplate& line, const Texts& literals) {
  std::size_t longest = 0;
  for (const std::string& each : literals) {
    if (each.empty()) return false;  // Every line holds it: no filter.
    longest = std::max(longest, each.size());
  }
  if (!line.regex.empty()) {
    const auto sets = texts_of_regex(line);
    return std::any_of(sets.begin(), sets.end(), [&](const Texts& texts) {
      return std::all_of(texts.begin(), texts.end(), [&](const std::string& text) {
        return std::any_of(literals.begin(), literals.end(), [&](const std::string& each) {
          return text.find(each) != std::string::npos;
        });
      });
    });
  }
  bool found = false;
  for_required_texts(line, [&](std::size_t part) {
    found = found || covered(line, part, "", literals, longest) ||
            (part > 0 && is_blank(line, part - 1) && covered(line, part, " ", literals, longest) &&
             covered(line, part, "\t", literals, longest));
  });
  return found;
}

}  // namespace attrib::model
