#ifndef FIND_H
#define FIND_H
const char *find(const char *line, const char *word);
#endif
