#include <stdio.h>
#include <string.h>

typedef struct {
    size_t lines;
    size_t longest;
    int ok;
} LogStats;

LogStats log_stats(const char *log_file) {
    LogStats s = {0};
    char buffer[4096];
    FILE *f = fopen(log_file, "r");
    if (!f) return s;
    while (fgets(buffer, sizeof(buffer), f)) {
        size_t n = strcspn(buffer, "\r\n");
        if (n > s.longest) s.longest = n;
        s.lines++;
    }
    s.ok = !ferror(f);
    fclose(f);
    return s;
}
