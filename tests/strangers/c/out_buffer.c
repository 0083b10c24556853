#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { READ_OK = 0, READ_NO_FILE = -1, READ_NO_MEMORY = -2 } read_status;

read_status read_all(const char *path, char **out, size_t *len) {
    FILE *in = fopen(path, "rb");
    if (!in) return READ_NO_FILE;
    char block[8192];
    size_t got;
    *out = NULL;
    *len = 0;
    while ((got = fread(block, 1, sizeof block, in)) > 0) {
        char *more = realloc(*out, *len + got);
        if (!more) {
            free(*out);
            fclose(in);
            return READ_NO_MEMORY;
        }
        *out = more;
        memcpy(*out + *len, block, got);
        *len += got;
    }
    fclose(in);
    return READ_OK;
}
