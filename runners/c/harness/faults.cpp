#include "faults.hpp"

#include <csignal>
#include <cstdint>
#include <sys/mman.h>

namespace {

volatile sig_atomic_t faulted = 0;

// Puts an empty page in its place, so that the operation goes on; the harness then refuses the sample.
void on_fault(int signal, siginfo_t *about, void *) {
    constexpr uintptr_t PAGE = 4096; // of the smallest kind: larger ones fault again
    auto page = reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(about->si_addr) & ~(PAGE - 1));
    void *given = mmap(page, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (faulted && given == MAP_FAILED) std::signal(signal, SIG_DFL); // it happens again, and ends the process
    faulted = 1;
}

} // namespace

void watch_for_faults() {
    struct sigaction action = {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGBUS, &action, nullptr);
    std::signal(SIGXFSZ, SIG_IGN); // a file that is too large is an error, not the end
}

bool fault_happened() {
    bool happened = faulted;
    faulted = 0;
    return happened;
}
