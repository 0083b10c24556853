#include <fstream>
#include <string>

long grep(const std::string& path, const std::string& needle) {
    std::ifstream in(path);
    long n = 0;
    for (std::string line; std::getline(in, line);) n += line.find(needle) != std::string::npos;
    return n;
}
