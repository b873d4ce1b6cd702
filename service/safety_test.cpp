#include "service/safety.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "base/test_folder.h"

namespace attrib::service {
namespace {

class EmptyFile {
 public:
  explicit EmptyFile(mode_t mode) : path_(folder_.write("empty", "")) {
    REQUIRE(chmod(path_.c_str(), mode) == 0);
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  TestFolder folder_;
  std::string path_;
};

using Given = std::vector<std::pair<Setting, std::string>>;
Safety inspected(const Given& given) {
  Settings settings;
  for (const auto& [setting, text] : given) REQUIRE(settings.set_flag(setting, {text}).ok());
  return inspect(settings);
}

TEST_CASE("of a certificate that is not valid now, or not for long, is warned with its dates") {
  constexpr std::int64_t kDay = 24 * 3600;
  const http::Validity valid{100 * kDay, 200 * kDay};
  const auto said = [&](std::int64_t seconds) {
    return certificate_warning("c.pem", valid,
                               std::chrono::system_clock::from_time_t(std::time_t{seconds}))
        .value_or("");
  };
  const std::string dates =
      "; it is valid from 1970-04-11T00:00:00Z to 1970-07-20T00:00:00Z; put a new one there and reload";
  CHECK(said(100 * kDay - 1) ==
        "c.pem: the certificate is not valid yet: clients refuse it" + dates);
  CHECK(said(100 * kDay).empty());
  CHECK(said(186 * kDay - 1).empty());
  CHECK(said(186 * kDay) == "c.pem: the certificate ends in 14 days" + dates);
  CHECK(said(200 * kDay) == "c.pem: the certificate ends in 0 days" + dates);
  CHECK(said(200 * kDay + 1) == "c.pem: the certificate has expired: clients refuse it" + dates);
}

TEST_CASE("without tokens only loopback addresses are taken") {
  for (const char* good :
       {"127.0.0.1:80", "127.1.2.3:80", "[::1]:80", "localhost:80", "127.0.0.1:80,[::1]:80"}) {
    CAPTURE(good);
    CHECK(inspected({{Setting::Listen, good}}).refusals.empty());
  }
  for (const char* bad : {"0.0.0.0:80", "[::]:80", "10.1.2.3:80", "example.com:80",
                          "127.0.0.1:80,0.0.0.0:80", "127.0.0.1.example.com:80"}) {
    CAPTURE(bad);
    const Safety safety = inspected({{Setting::Listen, bad}});
    REQUIRE(safety.refusals.size() == 1);
    CHECK(safety.refusals[0].find("`attribd token` makes one") != std::string::npos);
  }
}

TEST_CASE("tokens without TLS are warned of, on addresses that others reach") {
  const EmptyFile tokens(0600), key(0600);
  CHECK(inspected({{Setting::Tokens, tokens.path()}}).warnings.empty());
  const Safety open =
      inspected({{Setting::Tokens, tokens.path()}, {Setting::Listen, "0.0.0.0:80"}});
  CHECK(open.refusals.empty());
  REQUIRE(open.warnings.size() == 1);
  CHECK(open.warnings[0].find("unencrypted") != std::string::npos);
  CHECK(inspected({{Setting::Tokens, tokens.path()},
                   {Setting::Listen, "0.0.0.0:80"},
                   {Setting::TlsCertificate, "x"},
                   {Setting::TlsKey, key.path()}})
            .warnings.empty());
}

TEST_CASE("certificate and key come together, and the key is not for everybody") {
  CHECK(inspected({{Setting::TlsKey, "x"}}).refusals ==
        std::vector<std::string>{"`tls.key` without `tls.certificate`; TLS needs both"});
  CHECK(inspected({{Setting::TlsCertificate, "x"}}).refusals ==
        std::vector<std::string>{"`tls.certificate` without `tls.key`; TLS needs both"});
  for (const mode_t mode : {0644U, 0602U, 0620U, 0604U}) {
    const EmptyFile key(mode);
    CHECK(inspected({{Setting::TlsCertificate, "x"}, {Setting::TlsKey, key.path()}})
              .refusals.size() == 1);
  }
  const EmptyFile key(0640);  // For a group, as Debian's ssl-cert.
  CHECK(
      inspected({{Setting::TlsCertificate, "x"}, {Setting::TlsKey, key.path()}}).refusals.empty());
}

TEST_CASE("files with names of tokens or evidence that everybody may read are warned of") {
  const EmptyFile all(0644), own(0600);
  CHECK(inspected({{Setting::Tokens, all.path()}, {Setting::Db, all.path()}}).warnings.size() == 2);
  CHECK(inspected({{Setting::Tokens, own.path()}, {Setting::Db, own.path()}}).warnings.empty());
}

}  // namespace
}  // namespace attrib::service
