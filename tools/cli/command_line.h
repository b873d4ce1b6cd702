#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace attrib::cli {

// Help of `app` and its commands in 80 columns. Call it when all of them are there.
void wrap_help(CLI::App& app);

// Parsing has ended with `error`: prints the help or the version that was asked for, or says what is wrong and, of a slip, what
// was probably meant. The exit code.
int told(const CLI::App& app, const CLI::ParseError& error);

}  // namespace attrib::cli
