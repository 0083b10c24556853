#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef __GNUC__
#define PUBLIC __attribute__((visibility("default")))
#else
#define PUBLIC
#endif

static int is_blank(const char *line) { return line[strspn(line, " \t\r\n")] == '\0'; }

PUBLIC long blank_lines(const char *path) {
    char line[4096];
    long found = 0;
    FILE *f = fopen(path, "r");
    if (!f) return -1;
    while (fgets(line, sizeof line, f)) found += is_blank(line);
    fclose(f);
    return found;
}

PUBLIC long errors(const char *path) {
    char line[4096];
    long found = 0;
    FILE *f = fopen(path, "r");
    if (!f) return -1;
    while (fgets(line, sizeof line, f)) found += strstr(line, "ERROR") != NULL;
    fclose(f);
    return found;
}

static long first_bytes(const char *path) {
    char some[16];
    int fd = open(path, O_RDONLY);
    long got = fd < 0 ? -1 : read(fd, some, sizeof some);
    if (fd >= 0) close(fd);
    return got;
}

int main(int argc, char **argv) {
    if (argc > 1) printf("%ld %ld %ld\n", blank_lines(argv[1]), errors(argv[1]), first_bytes(argv[1]));
    return 0;
}
