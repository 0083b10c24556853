#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

long in_background(const std::string& path) {
    long n = 0;
    std::thread([&] {
        std::ifstream in(path);
        for (std::string line; std::getline(in, line);)
            if (++n > 1) throw std::runtime_error("too long");
    }).join();
    return n;
}
