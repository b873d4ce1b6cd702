#include "base/processor.h"

namespace attrib {
namespace {

bool portable_only = false;

}  // namespace

bool may_use_avx2() {
#if defined(__x86_64__)
  return !portable_only && __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}

void use_portable_code(bool portable) { portable_only = portable; }

}  // namespace attrib
