#include "compiler/data_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "compiler/limits.h"

namespace attrib::compiler {
namespace fs = std::filesystem;

std::optional<DataFiles::Found> DiskData::read(const std::string& path,
                                               const std::string& beside) const {
  const fs::path wanted(path);
  const bool climbs =
      std::any_of(wanted.begin(), wanted.end(), [](const fs::path& p) { return p == ".."; });
  if (path.empty() || wanted.is_absolute() || climbs) return std::nullopt;
  std::vector<fs::path> places = {fs::path(beside).parent_path()};
  places.insert(places.end(), folders_.begin(), folders_.end());
  for (const fs::path& folder : places) {
    const fs::path file = folder / wanted;
    std::error_code error;
    if (!fs::is_regular_file(file, error)) continue;
    std::ifstream in(file, std::ios::binary);
    if (!in) continue;
    // One byte more than allowed is enough to refuse it by its size.
    std::string bytes(kMaxCsvBytes + 1, '\0');
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(in.gcount()));
    return Found{file.lexically_normal().generic_string(), std::move(bytes)};
  }
  return std::nullopt;
}

}  // namespace attrib::compiler
