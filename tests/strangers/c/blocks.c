#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

uint32_t checksum(const char *path, size_t block_size) {
    unsigned char *block = malloc(block_size);
    uint32_t a = 1, b = 0;
    ssize_t got;
    int fd = open(path, O_RDONLY);
    while ((got = read(fd, block, block_size)) > 0)
        for (ssize_t i = 0; i < got; i++) {
            a = (a + block[i]) % 65521;
            b = (b + a) % 65521;
        }
    close(fd);
    free(block);
    return b << 16 | a;
}
