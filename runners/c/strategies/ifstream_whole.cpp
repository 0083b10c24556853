// The whole file in a string that is new for each.
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string>

#include "streams.hpp"

namespace {

const char *by_iterator(const Setup *, const char *path, Tally *tally) {
    return reading(path, [&](std::ifstream &file) {
        std::string all(std::istreambuf_iterator<char>(file), {});
        tally_block(tally, all.data(), all.size());
    });
}

const char *by_stream(const Setup *, const char *path, Tally *tally) {
    return reading(path, [&](std::ifstream &file) {
        std::ostringstream to;
        if (file.peek() == EOF) return; // to insert nothing is an error of `to`, and `file` knows of none of its own
        to << file.rdbuf();
        std::string all = to.str();
        tally_block(tally, all.data(), all.size());
    });
}

const char *by_size(const Setup *, const char *path, Tally *tally) {
    return reading(path, [&](std::ifstream &file) {
        std::string all(std::filesystem::file_size(path), '\0');
        file.read(all.data(), static_cast<std::streamsize>(all.size()));
        tally_block(tally, all.data(), static_cast<size_t>(file.gcount()));
    });
}

const Strategy iterator = {
    .name = "cpp/string-iterator", .title = "std::string of two istreambuf_iterators", .call = "string(istreambuf_iterator)",
    .unit = "file", .compute_only = "c/consume-block", .buffer = "new", .effort = 1, .memory_per_file_byte = 3, .run = by_iterator};
REGISTER(iterator)

const Strategy stream = {
    .name = "cpp/string-stream", .title = "std::ostringstream << ifstream::rdbuf", .call = "ostringstream << rdbuf",
    .unit = "file", .compute_only = "c/consume-block", .buffer = "new", .effort = 1, .memory_per_file_byte = 3, .run = by_stream};
REGISTER(stream)

const Strategy size = {
    .name = "cpp/string-read", .title = "filesystem::file_size, std::string, ifstream::read", .call = "file_size, ifstream::read",
    .unit = "file", .compute_only = "c/consume-block", .buffer = "new", .effort = 2, .memory_per_file_byte = 1, .run = by_size};
REGISTER(size)

} // namespace
