#include <string>

#include "streams.hpp"

namespace {

void lines(std::ifstream &file, Tally *tally) {
    std::string line;
    while (std::getline(file, line)) {
        // A \r at the end of the file is a part of its line; getline tells by eof that no \n followed.
        if (!line.empty() && line.back() == '\r' && !file.eof()) line.pop_back();
        tally_line(tally, line.size());
    }
}

const char *run(const Setup *, const char *path, Tally *tally) {
    return reading(path, [&](std::ifstream &file) { lines(file, tally); });
}

const char *run_buffered(const Setup *setup, const char *path, Tally *tally) {
    return reading_buffered(setup, path, [&](std::ifstream &file) { lines(file, tally); });
}

const Strategy plain = {
    .name = "cpp/getline", .title = "std::getline", .call = "std::getline", .unit = "line", .sums = "line-byte", .buffer = "new", .effort = 1, .run = run};
REGISTER(plain)

const Strategy buffered = {
    .name = "cpp/getline-pubsetbuf", .title = "std::getline after pubsetbuf", .call = "std::getline, pubsetbuf", .unit = "line",
    .sums = "line-byte", .buffer = "new", .effort = 2, .parameters = {BUFFER(65536, "bytes of the buffer given to pubsetbuf")}, .run = run_buffered};
REGISTER(buffered)

} // namespace
