#include <stdio.h>
#include <unistd.h>

static int lines(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) return -1;
    int count = 0;
    for (int c; (c = getc(file)) != EOF;) count += c == '\n';
    fclose(file);
    return count;
}

int flaky(const char *path) {
    static int calls;
    return lines(path) + calls++;
}

/* As a daemon does. */
int closes(const char *path) {
    close(0);
    close(1);
    close(2);
    return lines(path);
}
