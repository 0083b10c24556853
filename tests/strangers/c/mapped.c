#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static size_t newlines(const char *name) {
    int fd = open(name, O_RDONLY);
    struct stat about;
    if (fd < 0 || fstat(fd, &about)) return 0;
    size_t lines = 0, size = (size_t)about.st_size;
    char *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (data == MAP_FAILED) return 0;
    for (const char *at = data; (at = memchr(at, '\n', size - (size_t)(at - data))); at++) lines++;
    munmap(data, size);
    return lines;
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) printf("%zu %s\n", newlines(argv[i]), argv[i]);
    return 0;
}
