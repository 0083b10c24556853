#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void die(const char *why) {
    fprintf(stderr, "fatal: %s\n", why);
    exit(2);
}

int check_header(const char *path) {
    char line[200] = "";
    FILE *f = fopen(path, "r");
    if (!f) die("cannot open");
    if (!fgets(line, sizeof line, f) || strncmp(line, "MAGIC", 5)) die("no magic");
    fclose(f);
    return 0;
}
