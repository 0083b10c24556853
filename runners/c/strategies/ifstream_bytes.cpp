#include <iterator>

#include "streams.hpp"

namespace {

const char *by_get(const Setup *, const char *path, Tally *tally) {
    return reading(path, [&](std::ifstream &file) {
        char byte;
        while (file.get(byte)) tally_byte(tally, static_cast<unsigned char>(byte));
    });
}

const char *by_iterator(const Setup *, const char *path, Tally *tally) {
    return reading(path, [&](std::ifstream &file) {
        for (std::istreambuf_iterator<char> at(file), end; at != end; ++at) tally_byte(tally, static_cast<unsigned char>(*at));
    });
}

const Strategy get = {
    .name = "cpp/ifstream-get", .title = "std::ifstream::get", .call = "ifstream::get", .unit = "byte", .compute_only = "c/consume-byte",
    .buffer = "new", .effort = 2, .run = by_get};
REGISTER(get)

const Strategy iterator = {
    .name = "cpp/istreambuf-iterator", .title = "std::istreambuf_iterator, byte by byte", .call = "istreambuf_iterator", .unit = "byte",
    .compute_only = "c/consume-byte", .buffer = "new", .effort = 2, .run = by_iterator};
REGISTER(iterator)

} // namespace
