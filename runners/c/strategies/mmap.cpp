#include <memory>
#include <string_view>
#include <sys/mman.h>

#include "files.h"

namespace {

// The whole file mapped once, by a pointer that unmaps it. Each piece goes through `take` as a view of it.
template <class Take> const char *map(const Setup *setup, int file, Tally *tally, Take take) {
    off_t length = size_of(file);
    if (length <= 0) return length ? failed() : nullptr; // an empty file cannot be mapped
    auto size = static_cast<size_t>(length);
    void *start = mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
    if (start == MAP_FAILED) return failed();
    auto unmap = [size](void *data) { munmap(data, size); };
    std::unique_ptr<void, decltype(unmap)> mapping(start, unmap);
    std::string_view all(static_cast<const char *>(start), size);
    for (size_t number = 0; number < setup->accesses; number++) {
        uint64_t at = setup->offsets[number];
        if (at + setup->block > size) return "ends before the end of a block";
        tally_access(tally, take(all.substr(at, setup->block)), setup->block, at);
    }
    return nullptr;
}

const char *run(const Setup *setup, const char *path, Tally *tally) {
    return reading(setup, path, tally, [](const Setup *setup, int file, Tally *tally) {
        return map(setup, file, tally, [](std::string_view piece) { return piece.data(); });
    });
}

const char *run_copied(const Setup *setup, const char *path, Tally *tally) {
    return reading(setup, path, tally, [](const Setup *setup, int file, Tally *tally) {
        return map(setup, file, tally, [setup](std::string_view piece) {
            piece.copy(setup->memory, piece.size());
            return setup->memory;
        });
    });
}

const Strategy borrowed = {
    .name = "cpp/mmap-random", .title = "mmap, unmapped by unique_ptr, string_view::substr", .call = "mmap, string_view",
    .access = "random", .compute_only = "c/consume-block", .effort = 4, .mapped = 1, .moves_nothing = 1,
    .parameters = {BLOCK("bytes of the view at each offset")}, .run = run};
REGISTER(borrowed)

const Strategy copied = {
    .name = "cpp/mmap-random-copied", .title = "mmap, unmapped by unique_ptr, string_view::copy", .call = "mmap, string_view::copy",
    .access = "random", .compute_only = "c/consume-block", .effort = 4, .mapped = 1,
    .parameters = {BLOCK("bytes copied from each offset on")}, .run = run_copied};
REGISTER(copied)

} // namespace
