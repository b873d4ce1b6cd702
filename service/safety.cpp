#include "service/safety.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "service/file.h"

namespace attrib::service {
namespace {

mode_t mode_of(const std::string& path) {
  const auto stamp = path.empty() ? std::nullopt : stamp_of(path);
  return stamp ? stamp->mode : 0;
}

std::vector<std::string> open_addresses(const Settings& settings) {
  std::vector<std::string> out;
  for (const std::string& each : settings.list(Setting::Listen)) {
    if (!http::is_loopback(each)) out.push_back(each);
  }
  return out;
}

constexpr std::int64_t kDay = 24 * 3600;
constexpr std::int64_t kSoon = 14 * kDay;

std::string date(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time_t{seconds}));
}

}  // namespace

std::optional<std::string> certificate_warning(const std::string& file, const http::Validity& valid,
                                               std::chrono::system_clock::time_point now) {
  const std::int64_t at = std::chrono::system_clock::to_time_t(now);
  std::string what;
  if (at > valid.until)
    what = "has expired: clients refuse it";
  else if (at < valid.from)
    what = "is not valid yet: clients refuse it";
  else if (valid.until - at <= kSoon)
    what = fmt::format("ends in {} days", (valid.until - at) / kDay);
  else
    return std::nullopt;
  return fmt::format("{}: the certificate {}; it is valid from {} to {}; put a new one there and reload",
                     file, what, date(valid.from), date(valid.until));
}

Safety inspect(const Settings& settings) {
  Safety out;
  const std::string& tokens = settings.text(Setting::Tokens);
  const std::string& certificate = settings.text(Setting::TlsCertificate);
  const std::string& key = settings.text(Setting::TlsKey);
  const std::vector<std::string> open = open_addresses(settings);

  if (!open.empty() && tokens.empty()) {
    out.refusals.push_back(fmt::format(
        "`listen` has {}, which others can reach, and there is no token file: everybody could read "
        "and "
        "delete everything; give `tokens` (`attribd token` makes one) or listen on 127.0.0.1",
        fmt::join(open, ", ")));
  }
  if (!open.empty() && !tokens.empty() && certificate.empty()) {
    out.warnings.push_back(
        fmt::format("tokens and evidence travel unencrypted to {}; give tls.certificate and "
                    "tls.key, or put a proxy "
                    "with TLS before it",
                    fmt::join(open, ", ")));
  }
  if (certificate.empty() != key.empty()) {
    out.refusals.push_back(certificate.empty()
                               ? "`tls.key` without `tls.certificate`; TLS needs both"
                               : "`tls.certificate` without `tls.key`; TLS needs both");
  }
  if ((mode_of(key) & (S_IROTH | S_IWOTH | S_IWGRP)) != 0) {
    out.refusals.push_back(
        fmt::format("{0}: others may read or write the key (mode {1:03o}); run: chmod go-w,o-r {0}",
                    key, mode_of(key) & 0777U));
  }
  if ((mode_of(tokens) & S_IROTH) != 0) {
    out.warnings.push_back(
        fmt::format("{0}: everybody may read the names and scopes of tokens (not the tokens); run: "
                    "chmod o-r {0}",
                    tokens));
  }
  const std::string& db = settings.text(Setting::Db);
  if ((mode_of(db) & (S_IROTH | S_IWOTH)) != 0) {
    out.warnings.push_back(
        fmt::format("{0}: everybody may read the evidence in it; run: chmod o-rw {0}", db));
  }
  return out;
}

}  // namespace attrib::service
