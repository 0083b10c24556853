/* For glue: calls of the user's functions that were not written for iogauge. It comes behind the user's code, so all of
   its names begin with iogauge, and it needs no header that feature macros change. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { IOGAUGE_POINTERS = 4 };
enum iogauge_gives { IOGAUGE_NOTHING, IOGAUGE_BYTES, IOGAUGE_LINES };

/* What a call gave. */
struct iogauge_result {
    void *tally;             /* takes bytes or lines that are given back; NULL where these are a result of their own */
    size_t block;            /* the size for a parameter that asks for one */
    const char *why;         /* why it failed, or NULL */
    int negative, null;      /* whether it gave a negative number, or NULL, which may be failures */
    enum iogauge_gives gives;
    int numbers;             /* how many make up the number, which is the same for the same result; */
    int unknown;             /* unless something of it has no number */
    uint64_t number;
    int count;               /* of the pointers that it gave, which may be the caller's to free */
    void *pointers[IOGAUGE_POINTERS];
    void (*frees[IOGAUGE_POINTERS])(void *);
};

struct iogauge_function {
    const char *name;  /* of the strategy: c/own-count-lines */
    const char *shown; /* to people: count_lines(path) */
    int takes_block;
    int opens;         /* the glue opens the file */
    void (*call)(const char *path, struct iogauge_result *result);
    const char *why; /* the compiler says why it cannot be called, or NULL */
};

void iogauge_add(const struct iogauge_function *function);

/* The file, opened plainly; a failure is told in the result. A function may close what it is given, which the trial
   found out. */
void *iogauge_opened(const char *path, struct iogauge_result *result);
void iogauge_close(void *file);
int iogauge_descriptor(const char *path, struct iogauge_result *result);
void iogauge_close_descriptor(int descriptor);
void *iogauge_sink(void); /* a FILE that takes what is printed */
long iogauge_ignore(void); /* a callback */

/* Part of the result. */
void iogauge_number(struct iogauge_result *result, uint64_t number);
void iogauge_real(struct iogauge_result *result, double number);
void iogauge_bytes(struct iogauge_result *result, const void *data, size_t size);
void iogauge_lines(struct iogauge_result *result);
void iogauge_line(struct iogauge_result *result, const char *line, size_t length);
void iogauge_pointer(struct iogauge_result *result, void *pointer, void (*frees)(void *));
/* A pointer to characters, which have a size, or end with a NUL where the trial found one. */
void iogauge_text(struct iogauge_result *result, void *text, const size_t *size);

#ifdef __cplusplus
}
#else

enum { IOGAUGE_POINTER = 5, IOGAUGE_REAL = 8, IOGAUGE_RECORD = 12, IOGAUGE_UNION = 13 }; /* of __builtin_classify_type */

static inline __attribute__((always_inline)) void iogauge_take(struct iogauge_result *result, const void *given, size_t size, int kind, int is_unsigned) {
    if (kind == IOGAUGE_REAL) {
        if (size == sizeof(double)) iogauge_real(result, *(const double *)given);
        else if (size == sizeof(float)) iogauge_real(result, *(const float *)given);
        else iogauge_real(result, (double)*(const long double *)given);
    } else if (kind == IOGAUGE_POINTER) {
        iogauge_pointer(result, *(void *const *)given, NULL);
    } else if (kind < IOGAUGE_POINTER && size <= sizeof(int64_t)) {
        int64_t number = size == 1   ? *(const int8_t *)given
                         : size == 2 ? *(const int16_t *)given
                         : size == 4 ? *(const int32_t *)given
                                     : *(const int64_t *)given;
        if (is_unsigned && size < sizeof number) number &= ((int64_t)1 << (size * 8)) - 1;
        if (!is_unsigned && number < 0) result->negative = 1;
        iogauge_number(result, (uint64_t)number);
    } else {
        result->unknown = 1;
    }
    __asm__ volatile("" : : "r"(given) : "memory");
}

#define IOGAUGE_IS_UNSIGNED(x) \
    _Generic((x), _Bool: 1, unsigned char: 1, unsigned short: 1, unsigned: 1, unsigned long: 1, unsigned long long: 1, default: 0)
#define IOGAUGE_TAKE(result, x) \
    iogauge_take(result, &(x), sizeof(x), __builtin_classify_type(x), IOGAUGE_IS_UNSIGNED(x))

#define IOGAUGE_IS_VOID(...) __builtin_types_compatible_p(__typeof__(__VA_ARGS__), void)
/* The result of a call by a name; 0 where there is none, which is no number. */
#define IOGAUGE_RESULT(name, ...)                                                                                    \
    enum { name##_is_void = IOGAUGE_IS_VOID(__VA_ARGS__) };                                                          \
    __typeof__(__builtin_choose_expr(IOGAUGE_IS_VOID(__VA_ARGS__), 0, __VA_ARGS__)) name =                           \
        __builtin_choose_expr(IOGAUGE_IS_VOID(__VA_ARGS__), ((__VA_ARGS__), 0), __VA_ARGS__)
#define IOGAUGE_GIVEN_BACK(result, x)                                           \
    do {                                                                        \
        int iogauge_negative = (result)->negative, iogauge_null = (result)->null; \
        IOGAUGE_TAKE(result, x);                                                \
        (result)->negative = iogauge_negative, (result)->null = iogauge_null;    \
    } while (0)
#endif

/* Makes the compiler forget what it knows of a value. */
#define IOGAUGE_ANY(x) __asm__ volatile("" : "+m"(x))
