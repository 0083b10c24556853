#include <stdio.h>
#include <find.h>

int scan(const char *path)
{
	char line[BUFSIZ];
	int hits = 0;
	FILE *f = fopen(path, "r");

	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f))
		if (find(line, SEPARATOR))
			hits++;
	fclose(f);
	return hits;
}
