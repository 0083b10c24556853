#include <stdio.h>
#include <stdlib.h>

/* The whole file as a string; the caller frees it. */
char *read_file(const char *path) {
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        perror(path);
        return NULL;
    }
    fseek(f, 0, SEEK_END);
    long length = ftell(f);
    rewind(f);
    char *text = malloc(length + 1);
    if (text != NULL) {
        length = fread(text, 1, length, f);
        text[length] = '\0';
    }
    fclose(f);
    return text;
}
