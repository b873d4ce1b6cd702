#include <algorithm>

#include "vm/graph.h"

namespace attrib::vm {
namespace {

// A vertex on the way, and the first of its arcs that has not been followed.
struct Visit {
  std::uint32_t vertex;
  std::uint32_t arc;
};

}  // namespace

std::vector<std::uint32_t> strong_components(const ArcsByEffect& graph) {
  const std::uint32_t vertices = graph.vertices();
  std::vector<std::uint32_t> component(vertices, kNone);
  std::vector<std::uint32_t> place(vertices, 0);  // In order of discovery, from 1.
  std::vector<std::uint32_t> least(vertices, 0);  // The least place known to be reached.
  std::vector<std::uint32_t> open;                // Discovered, but of no component yet.
  std::vector<Visit> way;
  std::uint32_t discovered = 0, components = 0;
  const auto discover = [&](std::uint32_t v) {
    place[v] = least[v] = ++discovered;
    open.push_back(v);
    way.push_back({v, graph.begin[v]});
  };
  for (std::uint32_t root = 0; root < vertices; ++root) {
    if (place[root] != 0) continue;
    discover(root);
    while (!way.empty()) {
      const std::uint32_t v = way.back().vertex;
      std::uint32_t arc = way.back().arc;
      std::uint32_t low = least[v];
      const std::uint32_t end = graph.begin[v + 1];
      for (; arc < end; ++arc) {
        const std::uint32_t cause = graph.arcs[arc].cause;
        if (place[cause] == 0) break;
        if (component[cause] == kNone) low = std::min(low, least[cause]);
      }
      least[v] = low;
      way.back().arc = arc;  // Looked at again once its cause is done.
      if (arc < end) {
        discover(graph.arcs[arc].cause);
        continue;
      }
      way.pop_back();
      if (low != place[v]) continue;
      std::uint32_t last = 0;
      do {
        last = open.back();
        open.pop_back();
        component[last] = components;
      } while (last != v);
      ++components;
    }
  }
  return component;
}

}  // namespace attrib::vm
