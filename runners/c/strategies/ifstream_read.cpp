#include "streams.hpp"

namespace {

void blocks(const Setup *setup, std::ifstream &file, Tally *tally) {
    while (file.read(setup->memory, static_cast<std::streamsize>(setup->block)) || file.gcount())
        tally_block(tally, setup->memory, static_cast<size_t>(file.gcount()));
}

const char *run(const Setup *setup, const char *path, Tally *tally) {
    return reading(path, [&](std::ifstream &file) { blocks(setup, file, tally); });
}

const char *run_buffered(const Setup *setup, const char *path, Tally *tally) {
    return reading_buffered(setup, path, [&](std::ifstream &file) { blocks(setup, file, tally); });
}

const char *run_random(const Setup *setup, const char *path, Tally *tally) {
    bool ended = false;
    const char *reason = reading(path, [&](std::ifstream &file) {
        for (size_t number = 0; number < setup->accesses && !ended; number++) {
            file.seekg(static_cast<std::streamoff>(setup->offsets[number]));
            ended = !file.read(setup->memory, static_cast<std::streamsize>(setup->block));
            tally_access(tally, setup->memory, setup->block, setup->offsets[number]);
        }
    });
    return reason || !ended ? reason : "ends before the end of a block";
}

#define PIECE BLOCK("bytes of the array given to read")

const Strategy plain = {
    .name = "cpp/ifstream-read", .title = "std::ifstream::read", .call = "ifstream::read", .compute_only = "c/consume-block",
    .buffer = "new", .effort = 2, .parameters = {PIECE}, .run = run};
REGISTER(plain)

const Strategy buffered = {
    .name = "cpp/ifstream-read-pubsetbuf", .title = "std::ifstream::read after pubsetbuf", .call = "ifstream::read, pubsetbuf",
    .compute_only = "c/consume-block", .buffer = "new", .effort = 3, .parameters = {PIECE, BUFFER(65536, "bytes of the buffer given to pubsetbuf")},
    .run = run_buffered};
REGISTER(buffered)

const Strategy at_random = {
    .name = "cpp/ifstream-random", .title = "std::ifstream, seekg and read", .call = "ifstream::seekg, read", .access = "random",
    .compute_only = "c/consume-block", .buffer = "new", .effort = 2, .parameters = {BLOCK("bytes read at each offset")}, .run = run_random};
REGISTER(at_random)

} // namespace
