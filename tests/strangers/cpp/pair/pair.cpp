#include "pair.h"

#include <fstream>
#include <string>

std::pair<long, long> extremes(const std::string& path) {
    std::ifstream in(path);
    std::pair<long, long> found{1L << 40, 0};
    for (std::string line; std::getline(in, line);) {
        long size = length(line.c_str());
        found = {std::min(found.first, size), std::max(found.second, size)};
    }
    return found;
}
