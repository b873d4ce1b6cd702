#pragma once

// For the tests of the API: a service over a store in a folder that goes away, asked without a
// network.

#include <doctest/doctest.h>

#include <fstream>
#include <future>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "service/api.h"
#include "service/json.h"
#include "store/test_store.h"

namespace attrib::service {

// The program of tests/fuzz/sample.rules, which knows of XIDs and watchdogs
// (sample_program_test.cpp).
std::string sample_program_bytes();

struct Answer {
  unsigned status = 0;
  std::string text;
  std::map<std::string, std::string> headers;
  [[nodiscard]] Json json() const { return Json::parse(text); }
};

class TestService {
 public:
  explicit TestService(ApiOptions options = {}) {
    std::ofstream(folder_ / "sample.rbc", std::ios::binary) << sample_program_bytes();
    auto rulesets =
        Rulesets::open({{"default", folder_ / "sample.rbc"}, {"other", folder_ / "sample.rbc"}});
    REQUIRE(rulesets.ok());
    rulesets_ = std::move(rulesets).value();
    store_ = store::opened(folder_ / "a.db");
    api_ = Api::make({store_.get(), rulesets_.get(), &tokens_, &metrics_, &log_,
                      []() -> Status { return Done{}; }},
                     options);
  }

  http::Request request(const std::string& method, const std::string& path, std::string body,
                        std::map<std::string, std::string> headers = {}) {
    http::Request out;
    out.head.method = method;
    out.head.path = path.substr(0, path.find('?'));
    out.head.headers = std::move(headers);
    if (const std::size_t at = path.find('?'); at != std::string::npos) {
      const std::string query = path.substr(at + 1);
      out.head.query[query.substr(0, query.find('='))] = query.substr(query.find('=') + 1);
    }
    out.body = std::move(body);
    return out;
  }

  std::future<Answer> begin(const std::string& method, const std::string& path,
                            std::string body = {},
                            std::map<std::string, std::string> headers = {}) {
    http::Request made = request(method, path, std::move(body), std::move(headers));
    auto promise = std::make_shared<std::promise<Answer>>();
    auto future = promise->get_future();
    const auto reply = [promise](http::Response response) {
      Answer out{response.status, std::move(response.body), {}};
      for (auto& [name, value] : response.headers) out.headers[name] = value;
      promise->set_value(std::move(out));
    };
    http::Admission admission = api_->admit(made.head);
    if (admission.refusal) {
      reply(std::move(*admission.refusal));
    } else {
      api_->handle(std::move(made), reply);
    }
    return future;
  }

  Answer ask(const std::string& method, const std::string& path, std::string body = {},
             std::map<std::string, std::string> headers = {}) {
    return begin(method, path, std::move(body), std::move(headers)).get();
  }

  std::string make(const std::string& body = "{}") {
    const Answer made = ask("POST", "/v2/attributors", body);
    REQUIRE_MESSAGE(made.status == 201, made.text);
    return made.json()["attributor_id"].get<std::string>();
  }

  Answer post(const std::string& id, const std::string& body) {
    return ask("POST", "/v2/attributors/" + id + "/observations", body);
  }

  Answer attribution(const std::string& id, const std::string& query = "") {
    return ask("GET", "/v2/attributors/" + id + "/attribution" + query);
  }

  Api& api() { return *api_; }
  Tokens& tokens() { return tokens_; }
  [[nodiscard]] std::string metrics() const { return metrics_.page(); }
  [[nodiscard]] std::string file(const std::string& name) const { return folder_ / name; }

 private:
  store::Folder folder_;
  std::unique_ptr<Rulesets> rulesets_;
  std::unique_ptr<store::Store> store_;
  Tokens tokens_;
  Metrics metrics_;
  Log log_{Level::Error, true, [](std::string_view) {}};
  std::unique_ptr<Api> api_;
};

}  // namespace attrib::service
