// Carries out the strategies of C and C++ for the iogauge host, which it talks to as docs/wire.md says.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include "faults.hpp"
#include "functions.hpp"
#include "session.hpp"

namespace {

bool sent(int channel, const std::string &reply) {
    for (size_t at = 0; at < reply.size();) {
        ssize_t count = write(channel, reply.data() + at, reply.size() - at);
        if (count < 0) return false;
        at += static_cast<size_t>(count);
    }
    return true;
}

} // namespace

// Each request costs one read and one write, as long as a pipe carries it whole: the host counts this process's calls.
int main() {
    int channel = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    int requests = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    dup2(STDERR_FILENO, STDOUT_FILENO); // whatever a library prints must not end up on the channel
    if (int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC); nothing >= 0) dup2(nothing, STDIN_FILENO), close(nothing); // nor is a request the user's
    watch_for_faults();
    tell_ends_on(channel);

    static char piece[1 << 16];
    std::string waiting; // what has come of a request
    Session session;
    for (;;) {
        ssize_t count = read(requests, piece, sizeof piece);
        if (count == 0) return 0;
        if (count < 0) return std::perror("iogauge-runner: cannot read a request"), 1;
        waiting.append(piece, static_cast<size_t>(count));
        for (size_t end; (end = waiting.find('\n')) != std::string::npos; waiting.erase(0, end + 1))
            if (!sent(channel, session.answer({waiting.data(), end}) + "\n"))
                return std::perror("iogauge-runner: cannot write a reply"), 1;
    }
}
