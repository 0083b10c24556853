#include <fstream>
#include <string>

long size(const std::string& path) {
    std::ifstream in(path, std::ios::ate);
    return in.tell();
}
