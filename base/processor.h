#pragma once

namespace attrib {

// May code for AVX2 run? The processor has it, and nobody has asked for portable code.
bool may_use_avx2();

// From now on this process runs portable code only, which is slower and gives the same. For
// measuring and comparing; call it before any other thread runs. Tests take it back.
void use_portable_code(bool portable = true);

}  // namespace attrib
