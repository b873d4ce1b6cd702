// Reads every field of every observation of an NDJSON file with simdjson On-Demand and prints how
// many lines and bytes of fields there were: what a reader costs that parses everything. Reads
// in pieces, so that it pays for no more memory than a careful reader would.
//
//   simdjson_reader FILE

#include <fcntl.h>
#include <simdjson.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

namespace {

using simdjson::ondemand::json_type;

constexpr std::size_t kPiece = std::size_t{1} << 20;

std::size_t bytes_of(simdjson::ondemand::value value) {
  switch (value.type().value()) {
    case json_type::string:
      return value.get_string().value().size();
    case json_type::number:
      return value.get_number().value().is_double() ? 2 : 1;
    case json_type::object: {
      std::size_t bytes = 0;
      for (auto field : value.get_object()) bytes += bytes_of(field.value().value());
      return bytes;
    }
    default:
      return 0;
  }
}

struct Counts {
  std::size_t lines = 0;
  std::size_t bytes = 0;
};

void read_lines(simdjson::ondemand::parser* parser, const char* text, std::size_t size,
                Counts* counts) {
  auto lines = parser->iterate_many(text, size, kPiece).value();
  for (auto line : lines) {
    for (auto field : line.get_object()) {
      counts->bytes +=
          std::string_view(field.unescaped_key()).size() + bytes_of(field.value().value());
    }
    ++counts->lines;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 3;
  const int file = open(argv[1], O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    std::perror(argv[1]);
    return 2;
  }
  try {
    simdjson::ondemand::parser parser;
    std::vector<char> buffer(kPiece + simdjson::SIMDJSON_PADDING);
    Counts counts;
    std::size_t kept = 0;
    while (true) {
      const ssize_t got = read(file, buffer.data() + kept, kPiece - kept);
      if (got <= 0) break;
      const std::string_view text(buffer.data(), kept + static_cast<std::size_t>(got));
      const std::size_t whole = text.rfind('\n') + 1;
      read_lines(&parser, text.data(), whole, &counts);
      kept = text.size() - whole;
      std::memmove(buffer.data(), text.data() + whole, kept);
    }
    std::printf("%zu lines, %zu bytes of fields\n", counts.lines, counts.bytes);
  } catch (const simdjson::simdjson_error& error) {
    std::fprintf(stderr, "simdjson_reader: %s\n", error.what());
    return 2;
  }
  return 0;
}
