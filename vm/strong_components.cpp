#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/iterator/transform_iterator.hpp>
#include <boost/property_map/property_map.hpp>
#include <utility>

#include "vm/graph.h"

namespace attrib::vm {

std::vector<std::uint32_t> strong_components(std::uint32_t vertices, std::span<const Arc> arcs) {
  using Csr =
      boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                         boost::no_property, std::uint32_t, std::uint32_t>;
  std::vector<std::uint32_t> component(vertices, 0);
  if (vertices == 0) return component;
  const auto ends = [](const Arc& a) { return std::pair(a.effect, a.cause); };
  const Csr graph(boost::edges_are_sorted, boost::make_transform_iterator(arcs.begin(), ends),
                  boost::make_transform_iterator(arcs.end(), ends), vertices);
  const auto index = boost::get(boost::vertex_index, graph);
  boost::strong_components(graph, boost::make_iterator_property_map(component.begin(), index));
  return component;
}

}  // namespace attrib::vm
