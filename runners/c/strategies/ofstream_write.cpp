#include <algorithm>
#include <filesystem>

#include "files.h"
#include "streams.hpp"

namespace {

// A stream does not tell its file descriptor, so another one waits for the device.
const char *make_durable(const Setup *setup, const char *path) {
    if (!setup->fsync && !setup->fdatasync) return nullptr;
    int file = open(path, O_WRONLY);
    if (file < 0) return failed();
    const char *reason = make_durable(setup, file);
    close(file);
    return reason;
}

const char *resize(const Setup *setup, const char *path) {
    std::error_code error;
    std::filesystem::resize_file(path, setup->length, error);
    return error ? (errno = error.value(), failed()) : nullptr;
}

// What the stream still holds is written by close, which may fail; then what is behind it may be cut off.
template <class Stream, class Body>
const char *written(const Setup *setup, Stream &file, const char *path, Tally *tally, Body body, bool cut = false) {
    if (!file) return failed();
    body();
    bool wrote = file.good();
    const char *reason = wrote ? nullptr : failed();
    file.close();
    if (wrote && !file) reason = failed();
    if (!reason && cut) reason = resize(setup, path);
    if (!reason) reason = make_durable(setup, path);
    if (!reason) tally_moved(tally, setup->length);
    return reason;
}

// As the setup says.
template <class Body> const char *writing(const Setup *setup, std::ofstream &file, const char *path, Tally *tally, Body body) {
    errno = 0;
    file.open(path, std::ios::binary | (setup->append ? std::ios::app : std::ios::trunc));
    return written(setup, file, path, tally, body);
}

void blocks(const Setup *setup, std::ostream &file) {
    for (size_t at = 0; at < setup->length && file; at += setup->block)
        file.write(setup->payload + at, static_cast<std::streamsize>(std::min(setup->block, setup->length - at)));
}

const char *run(const Setup *setup, const char *path, Tally *tally) {
    std::ofstream file;
    return writing(setup, file, path, tally, [&] { blocks(setup, file); });
}

const char *run_buffered(const Setup *setup, const char *path, Tally *tally) {
    std::vector<char> buffer(setup->buffer);
    std::ofstream file;
    file.rdbuf()->pubsetbuf(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    return writing(setup, file, path, tally, [&] { blocks(setup, file); });
}

const char *run_bytes(const Setup *setup, const char *path, Tally *tally) {
    std::ofstream file;
    return writing(setup, file, path, tally, [&] {
        for (size_t at = 0; at < setup->length && file; at++) file.put(setup->payload[at]);
    });
}

// Opened for both, the file keeps what it holds, but has to be there.
const char *run_over(const Setup *setup, const char *path, Tally *tally) {
    errno = 0;
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    if (!file) file.open(path, std::ios::out | std::ios::binary);
    return written(setup, file, path, tally, [&] { blocks(setup, file); }, true);
}

// The file has its size ahead, but no blocks: the library has no call for these.
const char *run_resized(const Setup *setup, const char *path, Tally *tally) {
    std::ofstream file;
    const char *refused = nullptr;
    const char *reason = writing(setup, file, path, tally, [&] {
        refused = resize(setup, path);
        if (!refused) blocks(setup, file);
    });
    return refused ? refused : reason;
}

#define PIECE BLOCK("bytes given to one call of write")

const Strategy plain = {
    .name = "cpp/ofstream-write", .title = "std::ofstream::write", .call = "ofstream::write", .operation = "write", .buffer = "new", .effort = 2,
    .durabilities = NO_DSYNC, .parameters = {PIECE}, .run = run};
REGISTER(plain)

const Strategy buffered = {
    .name = "cpp/ofstream-write-pubsetbuf", .title = "std::ofstream::write after pubsetbuf", .call = "ofstream::write, pubsetbuf",
    .operation = "write", .buffer = "new", .effort = 3, .durabilities = NO_DSYNC,
    .parameters = {PIECE, BUFFER(65536, "bytes of the buffer given to pubsetbuf")}, .run = run_buffered};
REGISTER(buffered)

const Strategy put = {
    .name = "cpp/ofstream-put", .title = "std::ofstream::put", .call = "ofstream::put", .operation = "write", .unit = "byte",
    .buffer = "new", .effort = 2, .durabilities = NO_DSYNC, .run = run_bytes};
REGISTER(put)

const Strategy over = {
    .name = "cpp/fstream-overwrite", .title = "std::fstream::write over what is there, then resize_file", .call = "fstream::write, overwriting",
    .operation = "write", .buffer = "new", .effort = 3, .only_truncate = 1, .durabilities = NO_DSYNC, .parameters = {PIECE}, .run = run_over};
REGISTER(over)

const Strategy resized = {
    .name = "cpp/ofstream-write-resized", .title = "std::ofstream::write after resize_file, a sparse file", .call = "ofstream::write after resize_file",
    .operation = "write", .buffer = "new", .effort = 3, .only_truncate = 1, .durabilities = NO_DSYNC, .parameters = {PIECE}, .run = run_resized};
REGISTER(resized)

} // namespace
