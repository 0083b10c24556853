#include <stdio.h>

int copy_file(const char *src, const char *dst) {
    char block[4096];
    size_t got;
    FILE *from = fopen(src, "rb"), *to = fopen(dst, "wb");
    if (!from || !to) return -1;
    while ((got = fread(block, 1, sizeof block, from)) > 0) fwrite(block, 1, got, to);
    fclose(from);
    return fclose(to);
}
