#include "evidence/container_path.h"

#include <algorithm>

#include "evidence/cursor.h"

namespace attrib::evidence {
namespace {

// The last part of `path`, which is cut off.
std::string_view take_last(std::string_view* path) {
  const std::size_t slash = path->rfind('/');
  const std::string_view last = slash == std::string_view::npos ? *path : path->substr(slash + 1);
  path->remove_suffix(slash == std::string_view::npos ? path->size() : path->size() - slash);
  return last;
}

// Names of Kubernetes: letters, digits, dashes and dots. An underscore is none of them, so it parts
// names.
bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 253 && std::all_of(text.begin(), text.end(), [](char c) {
    return is_letter(c) || is_digit(c) || c == '-' || c == '.';
  });
}

std::optional<ContainerPath> of_pods(std::string_view path) {
  Cursor file(take_last(&path));
  std::int64_t restarts = 0;
  if (!file.digits(1, 9, &restarts) || !file.literal(".log")) return std::nullopt;
  if (!file.done() && file.peek() != '.') return std::nullopt;
  const std::string_view container = take_last(&path);
  const std::string_view pod = take_last(&path);
  if (take_last(&path) != "pods" || !is_name(container)) return std::nullopt;
  const std::size_t first = pod.find('_'), last = pod.rfind('_');
  if (first == std::string_view::npos || first == last) return std::nullopt;
  ContainerPath out;
  out.name_space = std::string(pod.substr(0, first));
  out.pod = std::string(pod.substr(first + 1, last - first - 1));
  out.container = std::string(container);
  if (!is_name(out.name_space) || !is_name(out.pod) || !is_name(pod.substr(last + 1)))
    return std::nullopt;
  return out;
}

std::optional<ContainerPath> of_containers(std::string_view path) {
  constexpr std::size_t kId = 64;  // Hexadecimal digits
  std::string_view file = take_last(&path);
  if (take_last(&path) != "containers" || !file.ends_with(".log")) return std::nullopt;
  file.remove_suffix(4);
  if (file.size() < kId + 2 || file[file.size() - kId - 1] != '-') return std::nullopt;
  file.remove_suffix(kId + 1);
  const std::size_t first = file.find('_');
  const std::size_t second = first == std::string_view::npos ? first : file.find('_', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  ContainerPath out;
  out.pod = std::string(file.substr(0, first));
  out.name_space = std::string(file.substr(first + 1, second - first - 1));
  out.container = std::string(file.substr(second + 1));
  if (!is_name(out.pod) || !is_name(out.name_space) || !is_name(out.container)) return std::nullopt;
  return out;
}

}  // namespace

std::optional<ContainerPath> container_path(std::string_view path) {
  if (auto found = of_pods(path)) return found;
  return of_containers(path);
}

}  // namespace attrib::evidence
