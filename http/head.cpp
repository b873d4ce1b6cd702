#include "http/head.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include <boost/beast/http/basic_parser.hpp>

#include "http/head_scan.h"
#include "http/target.h"

namespace attrib::http {
namespace {

namespace beast = boost::beast;
using beast::error_code;
using beast::string_view;

// Beast splits the request line and the fields; what they mean is decided by our own stricter checks. Its body states
// are never entered: they hold assertions that a client can break by sending the end of a chunked body in pieces
// (Beast 1.74, parse_chunk_header).
class HeadParser : public beast::http::basic_parser<true> {
 public:
  std::string method;
  std::string target;
  int version = 11;
  std::vector<Field> fields;

 private:
  void on_request_impl(beast::http::verb /*verb*/, string_view method_text, string_view target_text, int number,
                       error_code& /*ec*/) override {
    method.assign(method_text.data(), method_text.size());
    target.assign(target_text.data(), target_text.size());
    version = number;
  }
  void on_field_impl(beast::http::field /*known*/, string_view name, string_view value, error_code& /*ec*/) override {
    Field& field = fields.emplace_back(std::string(name.data(), name.size()), std::string(value.data(), value.size()));
    std::transform(field.first.begin(), field.first.end(), field.first.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  }
  void on_response_impl(int /*code*/, string_view /*reason*/, int /*number*/, error_code& /*ec*/) override {}
  void on_header_impl(error_code& /*ec*/) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>& /*length*/, error_code& /*ec*/) override {}
  std::size_t on_body_impl(string_view /*bytes*/, error_code& /*ec*/) override { return 0; }
  void on_chunk_header_impl(std::uint64_t /*size*/, string_view /*extensions*/, error_code& /*ec*/) override {}
  std::size_t on_chunk_body_impl(std::uint64_t /*left*/, string_view /*bytes*/, error_code& /*ec*/) override {
    return 0;
  }
  void on_finish_impl(error_code& /*ec*/) override {}
};

void add_header(Field&& field, std::map<std::string, std::string>& headers) {
  const auto [place, is_new] = headers.try_emplace(std::move(field.first), field.second);
  if (!is_new) place->second.append(", ").append(field.second);
}

}  // namespace

std::variant<Head, Refusal> parse_head(std::string_view bytes) {
  HeadParser parser;
  parser.header_limit(static_cast<std::uint32_t>(2 * HeadScanner::kMost));  // The scanner has counted already.
  // Bodies are counted elsewhere. (No limit at all would be `none`, which Beast 1.74 takes for zero.)
  parser.body_limit(std::numeric_limits<std::uint64_t>::max());
  error_code error;
  parser.put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
  if (error) return Refusal{400, "the head of the request is not HTTP/1.1: " + error.message()};
  if (!parser.is_header_done()) return Refusal{400, "the head of the request is not HTTP/1.1"};
  auto framing = framing_of(parser.fields, parser.version);
  if (const auto* refusal = std::get_if<Refusal>(&framing)) return *refusal;
  auto target = parse_target(parser.target);
  if (const auto* refusal = std::get_if<Refusal>(&target)) return *refusal;

  Head head;
  head.framing = std::get<Framing>(framing);
  head.request.method = std::move(parser.method);
  head.request.path = std::move(std::get<Target>(target).path);
  head.request.query = std::move(std::get<Target>(target).query);
  head.request.length = head.framing.length;
  for (Field& field : parser.fields) add_header(std::move(field), head.request.headers);
  return head;
}

}  // namespace attrib::http
