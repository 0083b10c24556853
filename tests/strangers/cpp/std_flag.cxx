#include <bit>
#include <cstdint>
#include <fstream>
#include <string>

#if WORDS != 8
#error "WORDS has to be 8"
#endif

int bits(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::uint64_t word;
    int n = 0;
    while (in.read(reinterpret_cast<char*>(&word), sizeof word)) n += std::popcount(word);
    return n;
}
