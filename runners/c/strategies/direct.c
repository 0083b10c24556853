#include "files.h"

enum { SECTOR = 4096 }; /* what O_DIRECT wants of lengths, at most */

static const char *run(const Setup *setup, const char *path, Tally *tally) {
    if (setup->block % SECTOR) return "block is no multiple of 4096, which O_DIRECT wants";
    int file = open(path, O_RDONLY | O_DIRECT);
    if (file < 0) return failed();
    ssize_t count;
    do { /* a short read is at the end, from where O_DIRECT does not go on */
        count = read(file, setup->memory, setup->block);
        if (count > 0) tally_block(tally, setup->memory, (size_t)count);
    } while (count == (ssize_t)setup->block);
    const char *reason = count < 0 ? failed() : NULL;
    close(file);
    return reason;
}

static const Strategy direct = {
    .name = "c/read-direct", .title = "read with O_DIRECT, past the page cache", .call = "read, O_DIRECT",
    .companion = "c/consume-block", .effort = 3, .bypasses_cache = 1,
    .parameters = {{"block", 131072, SECTOR, 1 << 30, "bytes", "piece", "bytes of the array given to read"}}, .run = run};
REGISTER(direct)
