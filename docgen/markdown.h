#pragma once

// Markdown as GitHub reads it.

#include <string>
#include <string_view>
#include <vector>

namespace attrib::docgen {

constexpr std::size_t kWidth = 110;  // Prose is broken here; code never.

// Plain text: what would be markup is escaped.
std::string escaped(std::string_view text);

// `text`, whatever backticks are in it.
std::string code(std::string_view text);

std::string link(std::string_view text, std::string_view target);

// What a heading is called in a link: "extract xid" -> "extract-xid", "nvlink.down" ->
// "nvlinkdown".
std::string anchor(std::string_view heading);

// Broken into lines at blanks: the first begins with `first`, all others with as many blanks. A
// line never begins with what would start a list or a heading. Ends with a newline.
std::string wrapped(std::string_view text, std::string_view first = "");

// ```text ... ``` with a fence that the lines do not close.
std::string code_block(const std::vector<std::string>& lines);

}  // namespace attrib::docgen
