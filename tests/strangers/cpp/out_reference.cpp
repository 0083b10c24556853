#include <cstdio>
#include <string>
#include <vector>

bool load(const char* path, std::vector<char>& content, std::string* error) {
    FILE* f = std::fopen(path, "rb");
    if (!f) {
        if (error) *error = "cannot open";
        return false;
    }
    content.clear();
    char block[4096];
    while (std::size_t got = std::fread(block, 1, sizeof block, f)) content.insert(content.end(), block, block + got);
    std::fclose(f);
    return true;
}
