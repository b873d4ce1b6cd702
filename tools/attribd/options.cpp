#include "tools/attribd/options.h"

namespace attrib::attribd {
namespace {

using service::Setting;
using service::Settings;

std::chrono::milliseconds time(const Settings& settings, Setting setting) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::nanoseconds(settings.number(setting)));
}

}  // namespace

http::ServerOptions server_options(const Settings& settings) {
  http::ServerOptions out;
  out.listen = settings.list(Setting::Listen);
  if (!settings.text(Setting::TlsCertificate).empty()) {
    out.tls = {settings.text(Setting::TlsCertificate), settings.text(Setting::TlsKey)};
  }
  out.threads = static_cast<unsigned>(settings.number(Setting::HttpThreads));
  out.body_budget = settings.number(Setting::BodyBudget);
  out.connections = settings.number(Setting::Connections);
  out.head_time = time(settings, Setting::HeadTime);
  out.body_time = time(settings, Setting::BodyTime);
  out.idle_time = time(settings, Setting::IdleTime);
  out.write_time = time(settings, Setting::WriteTime);
  return out;
}

store::StoreOptions store_options(const Settings& settings) {
  store::StoreOptions out;
  out.session_bytes = settings.number(Setting::SessionBytes);
  out.sessions = settings.number(Setting::Sessions);
  out.file_bytes = settings.number(Setting::DatabaseBytes);
  out.waiting_bytes = settings.number(Setting::WritingBytes);
  out.idle_time = static_cast<std::int64_t>(settings.number(Setting::SessionIdle));
  return out;
}

service::ApiOptions api_options(const Settings& settings) {
  service::ApiOptions out;
  out.body_bytes = settings.number(Setting::BodyBytes);
  out.workers = static_cast<unsigned>(settings.number(Setting::Workers));
  out.waiting = settings.number(Setting::Requests);
  out.cache_bytes = settings.number(Setting::CacheBytes);
  out.observations = settings.number(Setting::Observations);
  out.verdict_bytes = settings.number(Setting::VerdictBytes);
  out.idle_time = static_cast<std::int64_t>(settings.number(Setting::SessionIdle));
  return out;
}

}  // namespace attrib::attribd
