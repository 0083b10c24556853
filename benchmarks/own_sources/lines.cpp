#include <fstream>
#include <string>

long lines(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return -1;
    std::string block(65536, '\0');
    long count = 0;
    while (file.read(&block[0], static_cast<std::streamsize>(block.size())) || file.gcount() > 0)
        for (std::streamsize at = 0; at < file.gcount(); at++) count += block[static_cast<size_t>(at)] == '\n';
    return count;
}
