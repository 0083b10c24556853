/* Reads a file as plainly as C can, for the ceilings to be held against: the time of each turn in ns, one per line.

   raw_reader FILE pread BLOCK TURNS     into one block, looking at nothing
   raw_reader FILE touch BLOCK TURNS     the same, adding every 64th byte
   raw_reader FILE mmap  0     TURNS     a mapping, adding every 64th byte
   raw_reader FILE direct BLOCK TURNS    as pread, round the page cache
*/
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void check(int fine, const char *what) {
    if (!fine) {
        perror(what);
        exit(1);
    }
}

static uint64_t touched(const uint8_t *data, size_t size) {
    uint64_t sum = 0;
    for (size_t at = 0; at < size; at += 64) sum += data[at];
    return sum;
}

static uint64_t by_calls(const char *path, int flags, uint8_t *block, size_t size, int touches) {
    int file = open(path, O_RDONLY | flags);
    check(file >= 0, path);
    uint64_t sum = 0;
    off_t offset = 0;
    for (;;) {
        ssize_t count = pread(file, block, size, offset);
        check(count >= 0, "pread");
        if (count == 0) break;
        if (touches) sum += touched(block, (size_t)count);
        offset += count;
    }
    close(file);
    return sum;
}

static uint64_t by_mapping(const char *path) {
    int file = open(path, O_RDONLY);
    check(file >= 0, path);
    struct stat known;
    check(fstat(file, &known) == 0, "fstat");
    uint8_t *data = mmap(NULL, (size_t)known.st_size, PROT_READ, MAP_SHARED, file, 0);
    check(data != MAP_FAILED, "mmap");
    uint64_t sum = touched(data, (size_t)known.st_size);
    munmap(data, (size_t)known.st_size);
    close(file);
    return sum;
}

int main(int count, char **words) {
    if (count != 5) {
        fprintf(stderr, "usage: raw_reader FILE pread|touch|mmap|direct BLOCK TURNS\n");
        return 2;
    }
    size_t size = strtoull(words[3], NULL, 10);
    uint8_t *block = aligned_alloc(4096, size ? (size + 4095) / 4096 * 4096 : 4096);
    check(block != NULL, "memory");
    memset(block, 1, size);
    uint64_t sum = 0;
    for (int turn = 0; turn < atoi(words[4]); turn++) {
        uint64_t start = now();
        if (!strcmp(words[2], "mmap")) sum += by_mapping(words[1]);
        else sum += by_calls(words[1], strcmp(words[2], "direct") ? 0 : O_DIRECT, block, size, !strcmp(words[2], "touch"));
        printf("%" PRIu64 "\n", now() - start);
    }
    fprintf(stderr, "%" PRIu64 "\n", sum);
    return 0;
}
