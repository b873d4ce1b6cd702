#include "service/safety.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "http/server.h"
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

}  // namespace

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
