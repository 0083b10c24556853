#include <fstream>
#include <string>
#include <vector>

template <typename Stream>
std::vector<std::size_t> line_lengths(Stream& in) {
    std::vector<std::size_t> lengths;
    for (std::string line; std::getline(in, line);) lengths.push_back(line.size());
    return lengths;
}
