#include <fstream>
#include <string>
#include <vector>

std::vector<std::string> readLines(const std::string &fileName) {
    std::ifstream file(fileName);
    std::vector<std::string> lines;
    std::string line;
    while (std::getline(file, line)) {
        lines.push_back(line);
    }
    return lines;
}

std::vector<std::string> readWarnings(const std::string &fileName) {
    std::vector<std::string> kept;
    for (auto &line : readLines(fileName)) {
        if (line.find("INFO") == std::string::npos) kept.push_back(line);
    }
    return kept;
}
