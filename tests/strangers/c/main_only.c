#include <stdio.h>

int main(int argc, char *argv[])
{
	FILE *f = argc > 1 ? fopen(argv[1], "r") : stdin;
	int c, n = 0;
	while ((c = getc(f)) != EOF)
		if (c == '\n')
			n++;
	printf("%d\n", n);
	return 0;
}
