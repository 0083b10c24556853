#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct row { char *text; struct row *next; } row_t;
typedef struct table { row_t *first; size_t rows; } table_t;

void table_free(table_t *table) {
    if (!table) return;
    for (row_t *each = table->first, *next; each; each = next) {
        next = each->next;
        free(each->text);
        free(each);
    }
    free(table);
}

table_t *table_load(const char *csv_file) {
    FILE *f = fopen(csv_file, "r");
    if (!f) return NULL;
    table_t *table = calloc(1, sizeof *table);
    char *line = NULL;
    size_t room = 0;
    row_t **last = &table->first;
    while (getline(&line, &room, f) > 0) {
        row_t *row = calloc(1, sizeof *row);
        row->text = strdup(line);
        *last = row;
        last = &row->next;
        table->rows++;
    }
    free(line);
    fclose(f);
    return table;
}
