#include <stdio.h>
#include <string.h>

/* The number of the first line that says FATAL, or -1. */
int first_fatal(const char *logfile) {
    char line[2048];
    int number = 0, found = -1;
    FILE *log = fopen(logfile, "r");
    if (!log) return -2;
    while (found < 0 && fgets(line, sizeof line, log)) {
        number++;
        if (strstr(line, "FATAL")) found = number;
    }
    fclose(log);
    return found;
}
