#include <fstream>
#include <optional>
#include <string>

std::optional<std::string> first_error(const std::string& log) {
    std::ifstream in(log);
    for (std::string line; std::getline(in, line);)
        if (line.find("ERROR") != std::string::npos) return line;
    return std::nullopt;
}
