#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* How many bytes of the file are upper case, or a negative error number. */
long long upper_case(const char *filename)
{
	struct stat st;
	char *buf = NULL;
	long long n = 0;
	int ret = 0, fd;
	size_t i, got = 0;

	fd = open(filename, O_RDONLY);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0) {
		ret = -errno;
		goto fail;
	}
	buf = malloc(st.st_size);
	if (!buf && st.st_size) {
		ret = -ENOMEM;
		goto fail;
	}
	while (got < (size_t)st.st_size) {
		ssize_t r = read(fd, buf + got, st.st_size - got);
		if (r <= 0) {
			ret = r ? -errno : -EIO;
			goto fail;
		}
		got += r;
	}
	for (i = 0; i < got; i++)
		n += buf[i] >= 'A' && buf[i] <= 'Z';
fail:
	free(buf);
	close(fd);
	return ret ? ret : n;
}
