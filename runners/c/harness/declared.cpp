#include "declared.hpp"

#include <map>
#include <sstream>

#include "json.hpp"

namespace {

using Words = std::vector<std::string>;

// Made when the first one registers, before main.
std::map<std::string_view, const Strategy *> &registered() {
    static std::map<std::string_view, const Strategy *> all;
    return all;
}

std::string declared(const Parameter &each) {
    std::ostringstream out;
    out << json::quoted(each.name) << ":{\"default\":" << each.normal << ",\"min\":" << each.least << ",\"max\":" << each.most
        << ",\"unit\":" << json::quoted(each.unit) << ",\"role\":" << json::quoted(each.role)
        << ",\"says\":" << json::quoted(each.says) << "}";
    return out.str();
}

std::string declared(const Strategy &each) {
    std::ostringstream out;
    auto says = [&](const char *key, const char *value) {
        out << json::quoted(key) << ":" << (value ? json::quoted(value) : "null") << ",";
    };
    bool compared = !each.role; // a contestant; the others have no handling to tell
    out << "{";
    says("name", each.name);
    says("title", each.title);
    says("call", each.call);
    says("operation", operation_of(each));
    says("unit", or_else(each.unit, "block"));
    says("medium", medium_of(each));
    says("access", or_else(each.access, "sequential"));
    says("sums", or_else(each.sums, "byte"));
    says("role", or_else(each.role, "contestant"));
    says("format", or_else(each.format, "plain"));
    says("compute_only", each.compute_only);
    says("buffer", compared ? or_else(each.buffer, each.moves_nothing ? "none" : "reused") : nullptr);
    says("data", compared && reads(each) ? (each.moves_nothing ? "borrowed" : "copied") : nullptr);
    says("opens", compared ? "each" : nullptr);
    says("instead_of", each.instead_of);
    says("unavailable", why_unavailable(each));
    out << "\"consumes\":" << quoted_list(consumes(each)) << ",\"modes\":" << quoted_list(modes(each))
        << ",\"trips_on\":" << quoted_list(trips_on(each))
        << ",\"durabilities\":" << quoted_list(durabilities(each)) << ",\"mapped\":" << (each.mapped ? "true" : "false")
        << ",\"bypasses_cache\":" << (each.bypasses_cache ? "true" : "false")
        << ",\"effort\":" << each.effort << ",\"needs\":{\"memory_per_file_byte\":" << each.memory_per_file_byte
        << ",\"runtime\":null},\"parameters\":{";
    const char *between = "";
    for (const Parameter &parameter : parameters(each)) out << between << declared(parameter), between = ",";
    out << "}}";
    return out.str();
}

} // namespace

void register_strategy(const Strategy *strategy) { registered()[strategy->name] = strategy; }

const Strategy *find(std::string_view name) {
    auto found = registered().find(name);
    return found == registered().end() ? nullptr : found->second;
}

Words consumes(const Strategy &each) {
    if (!reads(each) || (each.role && each.role == std::string_view("null"))) return {"none"};
    if (each.sums && each.sums == std::string_view("nothing")) return {"none"}; // the user's own
    if (each.moves_nothing) return {"touch", "sum"};
    if (each.sums) return {"none", "sum"}; // lines
    return {"none", "touch", "sum"};
}

Words modes(const Strategy &each) {
    if (reads(each)) return {};
    return copies(each) || each.only_truncate ? Words{"truncate"} : Words{"truncate", "append"};
}

Words durabilities(const Strategy &each) {
    if (reads(each)) return {};
    if (copies(each)) return {"none"};
    if (each.durabilities == NO_DSYNC) return {"none", "fsync", "fdatasync"}; // fopen and streams know no O_DSYNC
    return {"none", "fsync", "fdatasync", "dsync"};
}

Words trips_on(const Strategy &each) {
    Words found;
    for (const char *name : each.trips_on)
        if (name) found.push_back(name);
    return found;
}

std::vector<Parameter> parameters(const Strategy &each) {
    std::vector<Parameter> found;
    for (const Parameter &parameter : each.parameters)
        if (parameter.name) found.push_back(parameter);
    return found;
}

const char *why_unavailable(const Strategy &each) { return each.unavailable ? each.unavailable() : each.refused; }

std::string list() {
    std::string made = "{\"verb\":\"list\",\"strategies\":[";
    const char *between = "";
    for (const auto &[name, strategy] : registered()) made += between + declared(*strategy), between = ",";
    return made + "]}";
}

std::string quoted_list(const Words &words) {
    std::string made = "[";
    for (const std::string &word : words) made += (made.size() > 1 ? "," : "") + json::quoted(word);
    return made + "]";
}
