#include <math.h>
#include <stdio.h>

double spread(const char *csv_path) {
    FILE *csv = fopen(csv_path, "r");
    if (!csv) return NAN;
    char line[256];
    double n = 0, sum = 0, squares = 0, id, amount;
    while (fgets(line, sizeof line, csv))
        if (sscanf(line, "%lf,%lf", &id, &amount) == 2) n++, sum += amount, squares += amount * amount;
    fclose(csv);
    return n > 1 ? sqrt((squares - sum * sum / n) / (n - 1)) : 0;
}
