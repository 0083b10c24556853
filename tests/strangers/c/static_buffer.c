#include <stdio.h>
#include <string.h>

const char *last_line(const char *path)
{
    static char line[2][1024];
    int at = 0;
    FILE *file = fopen(path, "r");
    if (!file)
        return NULL;
    line[0][0] = line[1][0] = '\0';
    while (fgets(line[at], sizeof line[at], file))
        at = !at;
    fclose(file);
    line[!at][strcspn(line[!at], "\n")] = '\0';
    return line[!at];
}
