#include <cstdint>
#include <fstream>
#include <string>

struct Fnv {
    std::uint64_t state = 1469598103934665603u;
    void add(const char* data, std::size_t size) {
        for (std::size_t i = 0; i < size; i++) state = (state ^ static_cast<unsigned char>(data[i])) * 1099511628211u;
    }
};

class Hasher {
    std::string block_ = std::string(1 << 16, '\0');

public:
    std::uint64_t hash(const std::string& filename) {
        Fnv fnv;
        std::ifstream in(filename, std::ios::binary);
        while (in.read(&block_[0], block_.size()) || in.gcount()) fnv.add(block_.data(), in.gcount());
        return fnv.state;
    }
};
