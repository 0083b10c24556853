#include <filesystem>

#include "streams.hpp"

namespace {

// How much was copied the API does not say: the size of the source is asked for, which is one more stat.
const char *by_filesystem(const Setup *setup, const char *path, Tally *tally) {
    std::error_code error;
    std::filesystem::copy_file(setup->source, path, std::filesystem::copy_options::overwrite_existing, error);
    if (error) return errno = error.value(), failed();
    tally_moved(tally, std::filesystem::file_size(setup->source));
    return nullptr;
}

// << does not tell that it stopped on a full disk: it fails only if it inserts nothing. What is left in the source tells.
const char *by_rdbuf(const Setup *setup, const char *path, Tally *tally) {
    const char *reason = nullptr;
    const char *unread = reading(setup->source, [&](std::ifstream &from) {
        std::ofstream to(path, std::ios::binary | std::ios::trunc);
        if (to && from.peek() != EOF) to << from.rdbuf();
        if (!to || (from.good() && from.peek() != EOF)) {
            reason = failed();
            return;
        }
        auto count = to.tellp();
        to.close();
        if (to && count >= 0)
            tally_moved(tally, static_cast<size_t>(count));
        else
            reason = failed();
    });
    return reason ? reason : unread;
}

const Strategy filesystem = {
    .name = "cpp/copy-file", .title = "std::filesystem::copy_file", .call = "filesystem::copy_file", .operation = "copy",
    .unit = "file", .buffer = "none", .effort = 1, .run = by_filesystem};
REGISTER(filesystem)

const Strategy rdbuf = {
    .name = "cpp/copy-rdbuf", .title = "std::ofstream << ifstream::rdbuf", .call = "ofstream << rdbuf", .operation = "copy",
    .unit = "file", .buffer = "new", .effort = 1, .run = by_rdbuf};
REGISTER(rdbuf)

} // namespace
