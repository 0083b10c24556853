#include <stdio.h>
#include "struct_out.h"

int histogram_of(const char *path, struct histogram *out)
{
	FILE *fp;
	int c;

	if (!(fp = fopen(path, "rb")))
		return -1;
	while ((c = getc(fp)) != EOF)
		out->seen[c]++;
	fclose(fp);
	return 0;
}
