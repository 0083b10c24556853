#include <stdio.h>
#include <stdlib.h>

struct scan_options {
    size_t buffer_size;
    char separator;
};

static const struct scan_options defaults = {.buffer_size = 1 << 15, .separator = ','};

long count_fields(const char *input_path, const struct scan_options *options) {
    if (options == NULL) options = &defaults;
    FILE *in = fopen(input_path, "r");
    char *buffer = malloc(options->buffer_size);
    long fields = -1;
    if (in && buffer) {
        size_t got;
        setvbuf(in, NULL, _IONBF, 0);
        fields = 0;
        while ((got = fread(buffer, 1, options->buffer_size, in)) > 0)
            for (size_t i = 0; i < got; i++)
                if (buffer[i] == options->separator || buffer[i] == '\n') fields++;
    }
    free(buffer);
    if (in) fclose(in);
    return fields;
}
