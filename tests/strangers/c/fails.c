#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Takes short files alone. */
int parse_config(const char *config_file) {
    char line[128];
    int settings = 0;
    FILE *f = fopen(config_file, "r");
    if (!f) return -1;
    while (fgets(line, sizeof line, f))
        if (++settings > 100) {
            fclose(f);
            errno = E2BIG;
            return -1;
        }
    fclose(f);
    return settings;
}
