#include "tool/reader.hpp"

#include <fstream>
#include <utility>

namespace tool {

Reader::Reader(std::filesystem::path path, std::size_t block) : path_(std::move(path)), block_(block) {}

std::size_t Reader::words() const {
    std::ifstream in(path_, std::ios::binary);
    std::string block(block_, '\0');
    std::size_t found = 0;
    bool within = false;
    while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0) {
        block.resize(static_cast<std::size_t>(in.gcount()));
        found += words_in(block, within);
        block.resize(block_);
    }
    return found;
}

}  // namespace tool
