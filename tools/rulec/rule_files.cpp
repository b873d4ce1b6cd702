#include "tools/rulec/rule_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "dsl/parse.h"
#include "tools/cli/files.h"

namespace attrib::rulec {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtension = ".rules";

std::string shown(const fs::path& path) { return path.lexically_normal().generic_string(); }

// Adds the rule files below `folder`; hidden folders are skipped.
Status add_folder(const std::string& folder, std::set<std::string>& files) {
  std::error_code error;
  std::size_t found = 0;
  fs::recursive_directory_iterator at(folder, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    const bool hidden = at->path().filename().string().starts_with('.');
    std::error_code ignored;
    if (hidden) {
      if (at->is_directory(ignored)) at.disable_recursion_pending();
    } else if (at->path().extension() == kExtension && at->is_regular_file(ignored)) {
      files.insert(shown(at->path()));
      ++found;
    }
  }
  if (error) return Error{fmt::format("{}: cannot read the folder: {}", folder, error.message())};
  if (found == 0) return Error{fmt::format("{}: no {} file in this folder", folder, kExtension)};
  return Done{};
}

}  // namespace

Result<std::vector<std::string>> find_rule_files(const std::vector<std::string>& paths) {
  std::set<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (status.type() == fs::file_type::not_found)
      return Error{fmt::format("{}: no such file or folder", path)};
    if (error) return Error{fmt::format("{}: cannot read: {}", path, error.message())};
    if (fs::is_directory(status)) {
      if (auto added = add_folder(path, files); !added) return added.error();
    } else if (!path.ends_with(kExtension)) {
      return Error{
          fmt::format("{}: not a rule file: its name does not end in {}", path, kExtension)};
    } else {
      files.insert(shown(path));
    }
  }
  return std::vector<std::string>(files.begin(), files.end());
}

std::vector<std::string> default_data_folders(const std::vector<std::string>& paths) {
  std::vector<std::string> folders;
  for (const std::string& path : paths) {
    std::error_code ignored;
    const fs::path folder =
        fs::is_directory(path, ignored) ? fs::path(path) : fs::path(path).parent_path();
    const std::string parent = shown(folder / "..");
    if (std::find(folders.begin(), folders.end(), parent) == folders.end())
      folders.push_back(parent);
  }
  return folders;
}

Result<std::vector<dsl::File>> parse_files(const std::vector<std::string>& files,
                                           SourceMap& sources, DiagnosticSink& sink) {
  std::vector<dsl::File> parsed;
  for (const std::string& path : files) {
    ATTRIB_TRY(std::string text, cli::read_file(path));
    parsed.push_back(dsl::parse(sources, sources.add(path, std::move(text)), sink));
  }
  return parsed;
}

}  // namespace attrib::rulec
