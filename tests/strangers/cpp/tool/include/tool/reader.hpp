#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace tool {

class Reader {
public:
    explicit Reader(std::filesystem::path path, std::size_t block = 1 << 16);
    std::size_t words() const;

private:
    std::filesystem::path path_;
    std::size_t block_;
};

std::size_t words_in(const std::string& text, bool& within);

}  // namespace tool
