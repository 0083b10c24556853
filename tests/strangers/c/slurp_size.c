#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

uint8_t *load_file(const char *file_name, size_t *size_out)
{
    int fd = open(file_name, O_RDONLY);
    if (fd == -1)
        return NULL;
    size_t room = 1 << 16, have = 0;
    uint8_t *data = malloc(room);
    for (ssize_t got; data && (got = read(fd, data + have, room - have)) > 0;) {
        have += (size_t)got;
        if (have == room) data = realloc(data, room *= 2);
    }
    close(fd);
    if (size_out) *size_out = have;
    return data;
}
