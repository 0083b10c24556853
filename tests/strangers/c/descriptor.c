#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>

#define CHUNK (128 * 1024)

ssize_t drain(int fd)
{
	static char chunk[CHUNK];
	ssize_t n, total = 0;

	posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	while ((n = read(fd, chunk, sizeof(chunk))) > 0)
		total += n;
	return n < 0 ? -1 : total;
}
