#include <fstream>
#include <string>

std::size_t lines(const std::string& path) {
    std::ifstream in(path);
    std::string line;
    std::size_t n = 0;
    while (std::getline(in, line)) ++n;
    return n;
}
