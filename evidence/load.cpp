#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <set>

#include "evidence/number_text.h"
#include "evidence/read.h"

namespace attrib::evidence {
namespace {

namespace fs = std::filesystem;

struct FreeGlob {
  void operator()(glob_t* found) const { globfree(found); }
};

// The paths a pattern names, sorted. A path without wildcards names itself, so that a missing file
// is told by name.
std::vector<std::string> expand(const std::string& pattern) {
  if (pattern.find_first_of("*?[") == std::string::npos || fs::exists(pattern)) return {pattern};
  glob_t found{};
  const std::unique_ptr<glob_t, FreeGlob> guard(&found);
  std::vector<std::string> out;
  if (glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found) == 0) {
    for (std::size_t i = 0; i < found.gl_pathc; ++i) out.emplace_back(found.gl_pathv[i]);
  }
  std::sort(out.begin(), out.end());
  return out;
}

// Regular files at or below `path`, by name. Links to directories are not followed: they may lead
// in a circle.
Result<std::vector<std::string>> files_below(const std::string& path) {
  std::error_code code;
  if (!fs::is_directory(path, code)) return std::vector<std::string>{path};
  std::vector<std::string> out;
  fs::recursive_directory_iterator at(path, fs::directory_options::skip_permission_denied, code);
  const fs::recursive_directory_iterator end;
  while (!code && at != end) {
    if (at->is_regular_file(code)) out.push_back(at->path().string());
    at.increment(code);
  }
  if (code) return Error{path + ": " + code.message()};
  std::sort(out.begin(), out.end());
  return out;
}

// Without links to files that are there themselves: `train.log` may be a name for the newest of
// them.
void drop_links(std::vector<std::string>* paths) {
  std::error_code code;
  std::set<fs::path> files;
  for (const std::string& path : *paths) {
    if (!fs::is_symlink(path, code)) files.insert(fs::weakly_canonical(path, code));
  }
  std::erase_if(*paths, [&](const std::string& path) {
    return fs::is_symlink(path, code) && files.contains(fs::weakly_canonical(path, code));
  });
}

// A rank that has died writes no dump, and that is worth knowing.
bool may_be_missing(const LogSpec& spec, const std::string& path) {
  std::error_code code;
  return spec.kind == model::SourceKind::FlightRecorder && spec.rank && path != "-" &&
         !fs::exists(path, code) && !code;
}

}  // namespace

Result<LogSpec> parse_log_spec(std::string_view text) {
  const auto wrong = [&](std::string_view why) {
    return Error{fmt::format(
        "`{}`: {}; expected KIND[@NODE | @rankN]=PATH, such as `kernel@node-07=dmesg.txt`", text,
        why)};
  };
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return wrong("no `=`");
  const std::string_view from = text.substr(0, equals);
  const std::size_t at = from.find('@');
  LogSpec out;
  const auto kind = model::parse_word<model::SourceKind>(from.substr(0, at));
  if (!kind) return wrong(fmt::format("`{}` is not a source kind", from.substr(0, at)));
  out.kind = *kind;
  out.path = std::string(text.substr(equals + 1));
  if (out.path.empty()) return wrong("no path");
  if (at == std::string_view::npos) return out;
  std::string_view owner = from.substr(at + 1);
  if (owner.empty()) return wrong("nothing after `@`");
  // `rank3` and `node-07/rank3`; a node called `rankings` stays a node.
  const std::size_t slash = owner.rfind('/');
  const std::string_view last = slash == std::string_view::npos ? owner : owner.substr(slash + 1);
  if (last.starts_with("rank")) {
    const auto rank = read_integer(last.substr(4));
    if (rank && *rank >= 0 && *rank <= INT32_MAX) {
      out.rank = static_cast<std::uint32_t>(*rank);
      owner = slash == std::string_view::npos ? std::string_view() : owner.substr(0, slash);
    }
  }
  out.node = std::string(owner);
  return out;
}

Result<Input> load_input(const std::string& path) {
  std::error_code code;
  if (path != "-" && !fs::exists(path, code))
    return Error{path + ": " + std::make_error_code(std::errc::no_such_file_or_directory).message()};
  Input out;
  out.name = path;
  out.open = [path] { return open_source(path); };
  return out;
}

Result<std::vector<Input>> load_logs(const LogSpec& spec) {
  std::vector<std::string> paths;
  for (const std::string& named : expand(spec.path)) {
    ATTRIB_TRY(std::vector<std::string> below, files_below(named));
    std::move(below.begin(), below.end(), std::back_inserter(paths));
  }
  // Ranks may share a dump's text, but each has its name.
  if (spec.kind != model::SourceKind::FlightRecorder) drop_links(&paths);
  std::vector<Input> out;
  for (const std::string& path : paths) {
    Input input;
    input.name = path;
    input.log = spec;
    if (may_be_missing(spec, path)) {
      input.missing = true;
      out.push_back(std::move(input));
      continue;
    }
    std::error_code code;
    if (path != "-" && !fs::exists(path, code))
      return Error{path + ": " + std::make_error_code(std::errc::no_such_file_or_directory).message()};
    input.log->path = path;
    input.open = [path] { return open_source(path); };
    out.push_back(std::move(input));
  }
  if (out.empty()) return Error{spec.path + ": no such file"};
  return out;
}

}  // namespace attrib::evidence
