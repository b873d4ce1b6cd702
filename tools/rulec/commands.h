#pragma once

// The commands of rulec. Flags are parsed in main.cpp; each command returns the exit code.

#include <string>
#include <vector>

namespace attrib::rulec {

struct RuleFlags {
  std::vector<std::string> paths;  // Folders and files; names resolve over all of them.
  std::vector<std::string> data;   // --data; by default the parent of each folder.
  std::string format = "text";     // Of diagnostics: text, json
  std::string color = "auto";
  bool strict = false;
};

struct BuildFlags {
  std::string output;
  std::string emit;  // ast, ir, bytecode, or empty
  std::string dump_rule;
};

struct CoverFlags {
  std::string filter;  // Only what stands in such a file or has such a name.
  bool conditions = false;
  bool rows = false;  // Of tables
  bool json = false;
  double fail_under = 0;  // Percent
};

struct CostFlags {
  std::string program;   // Instead of rules
  std::string log;       // To measure hits on
  std::size_t top = 40;  // Rows of the table; 0 for all
};

int check_command(const RuleFlags& rules);
int build_command(const RuleFlags& rules, const BuildFlags& flags);
// `documents`, if not empty, is a file that gets the evidence of the tests.
int test_command(const RuleFlags& rules, const std::string& filter, const std::string& documents);
int cover_command(const RuleFlags& rules, const CoverFlags& flags);
int cost_command(const RuleFlags& rules, const CostFlags& flags);
int dis_command(const std::string& program, const std::string& rule);
int verify_command(const std::string& program, const RuleFlags& rules);
int error_command(const std::string& id, bool list);

}  // namespace attrib::rulec
