#pragma once

// What the path of a container's log says: /var/log/pods/NAMESPACE_POD_UID/CONTAINER/0.log, with a
// stamp and `.gz` behind it when rotated, and /var/log/containers/POD_NAMESPACE_CONTAINER-ID.log,
// which links to it.

#include <optional>
#include <string>
#include <string_view>

namespace attrib::evidence {

struct ContainerPath {
  std::string pod, name_space, container;
};
std::optional<ContainerPath> container_path(std::string_view path);

}  // namespace attrib::evidence
