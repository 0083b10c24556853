// As much of JSON as the wire needs: a parser into values, and the quoting of text.
#pragma once

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace json {

struct Malformed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

enum class Kind { null, boolean, number, text, array, object };

struct Value {
    Kind kind = Kind::null;
    std::string text; // of a text; of a number and a boolean as it was written
    std::vector<Value> items;
    std::map<std::string, Value> members;

    // A member of an object, or null.
    const Value &operator[](const std::string &name) const;
    // A whole number of 64 bits, if it is one.
    std::optional<int64_t> integer() const;
    // As it would be shown in a sentence.
    std::string shown() const;
};

Value parse(std::string_view line);
std::string quoted(std::string_view text);

} // namespace json
