#include <stdio.h>

int touch_log(const char *path) {
    FILE *f = fopen(path, "a+");
    if (!f) return -1;
    int c, n = 0;
    while ((c = getc(f)) != EOF) n++;
    fputs("read\n", f);
    fclose(f);
    return n;
}
