#include "http/head_scan.h"

namespace attrib::http {

bool HeadScanner::refuse(unsigned status, const char* detail) {
  refusal_ = Refusal{status, detail};
  return false;
}

// At a line feed; true if it ends the head.
bool HeadScanner::end_of_line() {
  const bool blank = seen_ - line_ == 2;
  line_ = seen_;
  if (!blank) return false;
  if (begin_ == seen_ - 2) {
    begin_ = seen_;
    return false;
  }
  return true;
}

bool HeadScanner::scan(std::string_view bytes) {
  if (refusal_) return false;
  while (seen_ < bytes.size()) {
    if (seen_ >= kMost) return refuse(431, "the head of the request is longer than 16 KiB");
    const char c = bytes[seen_];
    const bool at_line = seen_ == line_;
    if (after_cr_ != (c == '\n')) return refuse(400, "a line of the head does not end in CR LF");
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\r' && c != '\n') || c == 0x7f) {
      return refuse(400, "the head of the request holds a control character");
    }
    if (at_line && (c == ' ' || c == '\t')) return refuse(400, "a line of the head begins with a blank");
    after_cr_ = c == '\r';
    ++seen_;
    if (c == '\n' && end_of_line()) return true;
  }
  return false;
}

}  // namespace attrib::http
