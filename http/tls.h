#pragma once

// The TLS side of the server: its context from certificate and key. Private to the room.

#include <memory>

#include "base/result.h"
#include "http/server.h"

namespace boost::asio::ssl {
class context;
}

namespace attrib::http {

// TLS 1.2 with forward secrecy and authenticated ciphers, or TLS 1.3. The files are read whole, and the key must belong
// to the certificate.
Result<std::shared_ptr<boost::asio::ssl::context>> tls_context(const TlsFiles& files);

// Of the server's own certificate in a context of tls_context().
Validity validity(boost::asio::ssl::context& context);

}  // namespace attrib::http
