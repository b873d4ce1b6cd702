// The compiled part of toml++, from its headers.
#define TOML_IMPLEMENTATION
#include <toml++/toml.h>
