#include <fstream>
#include <stdexcept>
#include <string>

struct ParseError : std::runtime_error {
    ParseError(int line, const std::string& why) : std::runtime_error("line " + std::to_string(line) + ": " + why) {}
};

int parse_ini(const std::string& path) {
    std::ifstream in(path);
    int number = 0;
    for (std::string line; std::getline(in, line);) {
        number++;
        if (line.find('=') == std::string::npos) throw ParseError(number, "no value");
    }
    return number;
}
