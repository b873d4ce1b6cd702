#pragma once

#include <string>

namespace CLI {
class App;
}

namespace attrib::cli {

// A bash completion script for `app`: subcommands, their flags, words of flags that take a fixed
// set, file names elsewhere. Use: source <(PROGRAM completion bash)
std::string bash_completion(const CLI::App& app);

}  // namespace attrib::cli
