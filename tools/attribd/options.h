#pragma once

// What settings mean for the parts of the service.

#include "http/server.h"
#include "service/api.h"
#include "service/settings.h"
#include "store/store.h"

namespace attrib::attribd {

http::ServerOptions server_options(const service::Settings& settings);
store::StoreOptions store_options(const service::Settings& settings);
service::ApiOptions api_options(const service::Settings& settings);

}  // namespace attrib::attribd
