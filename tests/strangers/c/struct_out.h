#ifndef STRUCT_OUT_H
#define STRUCT_OUT_H

struct histogram {
	unsigned long seen[256];
};

int histogram_of(const char *path, struct histogram *out);

#endif
