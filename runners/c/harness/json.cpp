#include "json.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>

namespace json {
namespace {

constexpr int DEEPEST = 64;

class Parser {
public:
    explicit Parser(std::string_view line) : rest(line) {}

    Value whole() {
        Value value = any(0);
        space();
        if (!rest.empty()) wrong();
        return value;
    }

private:
    std::string_view rest;

    [[noreturn]] static void wrong() { throw Malformed("the request is not a JSON object"); }

    void space() { rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size())); }

    bool skips(char wanted) {
        space();
        if (rest.empty() || rest[0] != wanted) return false;
        rest.remove_prefix(1);
        return true;
    }

    void must(char wanted) {
        if (!skips(wanted)) wrong();
    }

    Value any(int depth) {
        if (depth > DEEPEST) wrong();
        Value value;
        if (skips('{')) {
            value.kind = Kind::object;
            if (skips('}')) return value;
            do {
                must('"');
                std::string name = text();
                must(':');
                value.members[name] = any(depth + 1);
            } while (skips(','));
            must('}');
        } else if (skips('[')) {
            value.kind = Kind::array;
            if (skips(']')) return value;
            do
                value.items.push_back(any(depth + 1));
            while (skips(','));
            must(']');
        } else if (skips('"')) {
            value.kind = Kind::text;
            value.text = text();
        } else {
            plain(value);
        }
        return value;
    }

    void plain(Value &value) {
        size_t length = std::min(rest.find_first_of(",]} \t\r\n"), rest.size());
        value.text = rest.substr(0, length);
        rest.remove_prefix(length);
        if (value.text == "null") return;
        if (value.text == "true" || value.text == "false") {
            value.kind = Kind::boolean;
            return;
        }
        value.kind = Kind::number;
        char *end = nullptr;
        bool like_one = !value.text.empty() && value.text.find_first_not_of("+-.0123456789eE") == std::string::npos;
        if (!like_one || (std::strtod(value.text.c_str(), &end), *end)) wrong();
    }

    // After the opening quote.
    std::string text() {
        std::string made;
        for (;;) {
            size_t length = rest.find_first_of("\"\\");
            if (length == std::string_view::npos) wrong();
            made += rest.substr(0, length);
            char found = rest[length];
            rest.remove_prefix(length + 1);
            if (found == '"') return made;
            escape(made);
        }
    }

    void escape(std::string &made) {
        if (rest.empty()) wrong();
        char which = rest[0];
        rest.remove_prefix(1);
        static constexpr std::string_view SIGNS = "\"\\/bfnrt", MEANT = "\"\\/\b\f\n\r\t";
        if (size_t at = SIGNS.find(which); at != std::string_view::npos)
            made += MEANT[at];
        else if (which == 'u')
            code_point(made);
        else
            wrong();
    }

    uint32_t unit() {
        if (rest.size() < 4 || rest.substr(0, 4).find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos) wrong();
        auto value = static_cast<uint32_t>(std::strtoul(std::string(rest.substr(0, 4)).c_str(), nullptr, 16));
        rest.remove_prefix(4);
        return value;
    }

    void code_point(std::string &made) {
        uint32_t point = unit();
        if (point >= 0xD800 && point < 0xDC00) {
            if (rest.substr(0, 2) != "\\u") wrong();
            rest.remove_prefix(2);
            point = 0x10000 + ((point - 0xD800) << 10) + (unit() - 0xDC00);
        }
        auto tail = [&](int shift) { made += static_cast<char>(0x80 | ((point >> shift) & 0x3F)); };
        if (point < 0x80) {
            made += static_cast<char>(point);
        } else if (point < 0x800) {
            made += static_cast<char>(0xC0 | point >> 6), tail(0);
        } else if (point < 0x10000) {
            made += static_cast<char>(0xE0 | point >> 12), tail(6), tail(0);
        } else {
            made += static_cast<char>(0xF0 | point >> 18), tail(12), tail(6), tail(0);
        }
    }
};

} // namespace

const Value &Value::operator[](const std::string &name) const {
    static const Value null;
    auto found = members.find(name);
    return found == members.end() ? null : found->second;
}

std::optional<int64_t> Value::integer() const {
    if (kind != Kind::number || text.find_first_of(".eE") != std::string::npos) return {};
    errno = 0;
    int64_t value = std::strtoll(text.c_str(), nullptr, 10);
    if (errno) return {};
    return value;
}

std::string Value::shown() const {
    switch (kind) {
    case Kind::null: return "null";
    case Kind::text: return quoted(text);
    case Kind::array: return "an array";
    case Kind::object: return "an object";
    default: return text;
    }
}

Value parse(std::string_view line) {
    Value value = Parser(line).whole();
    if (value.kind != Kind::object) throw Malformed("the request is not a JSON object");
    return value;
}

std::string quoted(std::string_view text) {
    static constexpr char DIGITS[] = "0123456789abcdef";
    std::string made = "\"";
    for (char each : text) {
        if (each == '"' || each == '\\')
            made += '\\', made += each;
        else if (static_cast<unsigned char>(each) < 0x20)
            made += "\\u00", made += DIGITS[each >> 4], made += DIGITS[each & 15];
        else
            made += each;
    }
    return made + '"';
}

} // namespace json
