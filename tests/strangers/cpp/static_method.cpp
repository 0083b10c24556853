#include <cstdio>
#include <string>

class FileUtils {
public:
    FileUtils() = delete;
    static long size(const char* filename);
    static bool isEmpty(const std::string& filename) { return size(filename.c_str()) == 0; }
};

long FileUtils::size(const char* filename) {
    long n = 0;
    if (FILE* f = std::fopen(filename, "rb")) {
        while (std::getc(f) != EOF) n++;
        std::fclose(f);
    }
    return n;
}
