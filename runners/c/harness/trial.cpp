#include "trial.hpp"

#include <cerrno>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <new>

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guard.hpp"
#include "runner.h"

const Shown *shown_of_running = nullptr;

extern "C" char __executable_start, end; // of the linker: where the program lies

namespace {

constexpr char TWO_LINES[] = "one line of a small file\nand another one\n";
constexpr size_t SIZE = sizeof TWO_LINES - 1;
constexpr uint64_t LENGTHS = 24 + 15; // of the lines
constexpr unsigned MOST_SECONDS = 10;
constexpr int CALLS = 3;
constexpr time_t LONG_AGO = 1000000000; // when the file was changed last, as the function sees it
constexpr size_t ROOM = 16384;

// Whether memory was allocated, as far as the system tells: it is in no file, no stack and not part of the program.
bool is_allocated(const void *pointer) {
    auto at = reinterpret_cast<uintptr_t>(pointer);
    if (at >= reinterpret_cast<uintptr_t>(&__executable_start) && at < reinterpret_cast<uintptr_t>(&end)) return false;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        uintptr_t from = 0, to = 0;
        char rights[8] = "", name[64] = "";
        if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " %7s %*s %*s %*s %63s", &from, &to, rights, name) >= 3 && at >= from && at < to)
            return rights[1] == 'w' && (!*name || !std::strcmp(name, "[heap]"));
    }
    return false;
}

uint64_t sum_of_bytes() {
    uint64_t sum = 0;
    for (size_t at = 0; at < SIZE; at++) sum += static_cast<unsigned char>(TWO_LINES[at]);
    return sum;
}

// One call whose result is looked at. What is known by then is written at once: it may not come back.
void look(const iogauge_function &function, const char *path, Shown &shown) {
    Tally tally = {};
    tally.kind = CONSUME_SUM;
    iogauge_result result = {};
    result.tally = &tally;
    result.block = ROOM;
    Shown first = shown;
    first.text = true;
    shown_of_running = &first;
    errno = 0;
    function.call(path, &result);
    end_if_started();
    shown.tried = !result.why;
    shown.negative = result.negative;
    shown.null = result.null;
    shown.bytes = result.gives == IOGAUGE_BYTES && tally.offset == SIZE && tally.sum == sum_of_bytes();
    shown.lines = result.gives == IOGAUGE_LINES && tally.offset == 2 && tally.sum == LENGTHS;
    shown.text = true;
    for (int i = 0; i < result.count; i++) shown.owned |= is_allocated(result.pointers[i]);
}

// Some calls after each of which what it gave is freed: what was no memory of the caller's ends the process.
void free_each(const iogauge_function &function, const char *path, Shown &) {
    for (int i = 0; i < CALLS; i++) {
        iogauge_result result = {};
        result.block = ROOM;
        errno = 0;
        function.call(path, &result);
        free_given(result);
    }
}

// What does not work so is tried again without reading characters up to a NUL.
void look_less(const iogauge_function &function, const char *path, Shown &shown) {
    iogauge_result result = {};
    result.block = ROOM;
    errno = 0;
    function.call(path, &result);
    end_if_started();
    shown.tried = !result.why;
    shown.negative = result.negative;
    shown.null = result.null;
    for (int i = 0; i < result.count; i++) shown.owned |= is_allocated(result.pointers[i]);
}

// One where the file that it is given is closed, if that is still open.
void close_after(const iogauge_function &function, const char *path, Shown &shown) {
    shown.closes = true; // so the glue leaves it alone
    int before = dup(STDIN_FILENO);
    close(before);
    iogauge_result result = {};
    result.block = ROOM;
    function.call(path, &result);
    int after = dup(STDIN_FILENO);
    shown.closes = after == before; // nothing was left open
}

// Calls after which as much is freed as the caller can free. What grows from each to the next is left behind; a buffer
// that is kept for the next call does not.
void count_left(const iogauge_function &function, const char *path, Shown &shown) {
    size_t used[CALLS + 1];
    for (size_t &each : used) {
        iogauge_result result = {};
        result.block = ROOM;
        function.call(path, &result);
        if (shown.owned) free_given(result);
        each = bytes_in_use();
    }
    shown.leaves = used[1] < used[2] && used[2] < used[3];
}

using Step = void (*)(const iogauge_function &, const char *, Shown &);

Shown *trial = nullptr;   // what is to be known of the one under way
bool is_started = false;  // this process is one that a call started

void watch_for_forks() {
    static const int watched = pthread_atfork(nullptr, nullptr, [] { is_started = true; });
    (void)watched;
}

// Waits until nobody has the other end of a pipe; not for ever, as what a call started may stay.
void wait_for_started(int ends) {
    constexpr int MOST_MS = 1000;
    pollfd waiting = {ends, POLLIN, 0};
    while (poll(&waiting, 1, MOST_MS) < 0 && errno == EINTR) {}
    close(ends);
}

bool late = false; // a step took too long, as others of the same function would

// Carries out a step in a child. False where that crashed, ended or took too long.
bool in_child(Step step, const iogauge_function &function, const std::string &path, Shown &shown) {
    watch_for_forks();
    int ends[2];
    if (late || pipe2(ends, O_CLOEXEC)) return false;
    pid_t parent = getpid(), child = fork();
    if (child != 0) close(ends[1]);
    if (child < 0) return close(ends[0]), false;
    if (child == 0) {
        is_started = false;
        trial = &shown;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(1);
        without_guard();
        rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        int silent = open("/dev/null", O_RDWR | O_CLOEXEC);
        for (int each : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(silent, each);
        alarm(MOST_SECONDS);
        shown_of_running = &shown;
        try {
            step(function, path.c_str(), shown);
        } catch (...) {
            end_if_started();
            _exit(1);
        }
        end_if_started();
        _exit(0);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    wait_for_started(ends[0]);
    late = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// False where they are not there: a full disk takes none.
bool write_lines(const std::string &path) {
    std::ofstream out(path, std::ios::binary);
    out << TWO_LINES;
    out.close();
    timespec times[2] = {{LONG_AGO, 0}, {LONG_AGO, 0}};
    return out && !utimensat(AT_FDCWD, path.c_str(), times, 0);
}

bool is_changed(const std::string &path) {
    struct stat about;
    if (stat(path.c_str(), &about) || about.st_mtime != LONG_AGO) return true;
    std::ifstream in(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {}) != TWO_LINES;
}

} // namespace

void end_if_started() {
    if (!is_started) return;
    if (trial) trial->forks = true;
    _exit(0);
}

void free_given(iogauge_result &result) {
    for (int i = 0; i < result.count; i++) {
        bool again = false;
        for (int j = 0; j < i; j++) again |= result.pointers[j] == result.pointers[i];
        if (!again) result.frees[i](result.pointers[i]);
    }
}

size_t bytes_in_use() {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    struct mallinfo2 about = mallinfo2();
    return about.uordblks + about.hblkhd;
#else
    return 0;
#endif
}

Shown try_out(const iogauge_function &function, const std::string &folder) {
    const std::string path = folder + "/tried-" + std::to_string(getpid()) + ".txt";
    if (!write_lines(path)) return std::remove(path.c_str()), Shown();
    void *memory = mmap(nullptr, sizeof(Shown), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return std::remove(path.c_str()), Shown();
    Shown &shared = *new (memory) Shown();
    late = false;
    watch_for_forks(); // in runs, too
    if (function.opens && !in_child(close_after, function, path, shared)) shared = {}; // before any file is closed twice
    bool closes = shared.closes;
    if (!in_child(look, function, path, shared)) {
        bool forks = shared.forks;
        shared = {};
        shared.closes = closes, shared.forks = forks;
        if (!in_child(look_less, function, path, shared)) shared.tried = false;
    }
    if (shared.owned) shared.owned = in_child(free_each, function, path, shared);
    if (shared.tried) in_child(count_left, function, path, shared);
    shared.changes = is_changed(path);
    std::remove(path.c_str());
    Shown found = shared;
    munmap(memory, sizeof(Shown));
    return found;
}
