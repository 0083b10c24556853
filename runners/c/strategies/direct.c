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
    .compute_only = "c/consume-block", .effort = 3, .bypasses_cache = 1,
    .parameters = {{"block", 131072, SECTOR, 1 << 30, "bytes", "piece", "bytes of the array given to read"}}, .run = run};
REGISTER(direct)

/* From aligned memory. The last block is written up to a whole sector, and the file cut off. */
static const char *wrote(const Setup *setup, int file) {
    for (size_t at = 0; at < setup->length; at += setup->block) {
        size_t left = setup->length - at, part = left < setup->block ? left : setup->block;
        size_t whole = (part + SECTOR - 1) / SECTOR * SECTOR;
        memcpy(setup->memory, setup->payload + at, part);
        for (size_t done = 0; done < whole;) {
            ssize_t count = write(file, setup->memory + done, whole - done);
            if (count < 0) return failed();
            done += (size_t)count;
        }
    }
    if (setup->length % SECTOR && (ftruncate(file, (off_t)setup->length) || (setup->dsync && fsync(file)))) return failed();
    return make_durable(setup, file);
}

static const char *run_write(const Setup *setup, const char *path, Tally *tally) {
    if (setup->block % SECTOR) return "block is no multiple of 4096, which O_DIRECT wants";
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_DIRECT | (setup->dsync ? O_DSYNC : 0), 0666);
    if (file < 0) return failed();
    const char *reason = wrote(setup, file);
    if (close(file) && !reason) reason = failed();
    if (!reason) tally_moved(tally, setup->length);
    return reason;
}

static const Strategy direct_write = {
    .name = "c/write-direct", .title = "write with O_DIRECT, past the page cache", .call = "write, O_DIRECT", .operation = "write",
    .effort = 4, .bypasses_cache = 1, .only_truncate = 1,
    .parameters = {{"block", 1 << 20, SECTOR, 1 << 26, "bytes", "piece", "bytes of the array given to write"}}, .run = run_write};
REGISTER(direct_write)
