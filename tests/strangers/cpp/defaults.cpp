#include <fstream>
#include <string>

enum class Mode { text, binary };

long count_char(const std::string& path, char wanted = 'E', Mode mode = Mode::binary, std::size_t buffer = 1 << 15) {
    std::ifstream in;
    std::string block(buffer, '\0');
    long found = 0;
    in.rdbuf()->pubsetbuf(nullptr, 0);
    in.open(path, mode == Mode::binary ? std::ios::in | std::ios::binary : std::ios::in);
    while (in.read(&block[0], static_cast<std::streamsize>(buffer)), in.gcount() > 0)
        for (std::streamsize i = 0; i < in.gcount(); i++) found += block[i] == wanted;
    return found;
}
