// The strategies, with the values that their declarations leave out, and what `list` says about them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner.h"

const Strategy *find(std::string_view name);
std::vector<std::string> consumes(const Strategy &strategy);
std::vector<std::string> modes(const Strategy &strategy);
std::vector<std::string> durabilities(const Strategy &strategy);
std::vector<std::string> trips_on(const Strategy &strategy);
std::vector<Parameter> parameters(const Strategy &strategy);
const char *why_unavailable(const Strategy &strategy);
std::string list();
std::string quoted_list(const std::vector<std::string> &words);

inline const char *or_else(const char *given, const char *otherwise) { return given ? given : otherwise; }
inline const char *operation_of(const Strategy &each) { return or_else(each.operation, "read"); }
inline const char *medium_of(const Strategy &each) { return or_else(each.medium, "file"); }
inline bool reads(const Strategy &each) { return operation_of(each) == std::string_view("read"); }
inline bool copies(const Strategy &each) { return operation_of(each) == std::string_view("copy"); }
inline bool in_memory(const Strategy &each) { return medium_of(each) == std::string_view("memory"); }
inline bool at_random(const Strategy &each) { return each.access != nullptr; }
