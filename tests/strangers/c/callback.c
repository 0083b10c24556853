#include <stdio.h>
#include <string.h>

typedef int (*line_handler)(const char *line, size_t length, void *user);

int for_each_line(const char *path, line_handler on_line, void *user) {
    char line[1024];
    int n = 0;
    FILE *file = fopen(path, "r");
    if (!file) return -1;
    while (fgets(line, sizeof line, file)) {
        if (on_line(line, strlen(line), user)) break;
        n++;
    }
    fclose(file);
    return n;
}
