#include "session.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "functions.hpp"
#include "declared.hpp"
#include "faults.hpp"

namespace {

constexpr int WIRE = 3;
constexpr int64_t MOST_PADDING = 1 << 16, MOST_OPERATIONS = int64_t{1} << 40, MOST_SPANS = 1 << 20;

using std::to_string;

struct Refused : std::runtime_error {
    using std::runtime_error::runtime_error;
};

int64_t now() {
    timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return int64_t{at.tv_sec} * 1000000000 + at.tv_nsec;
}

int64_t clock_resolution() {
    int64_t smallest = INT64_MAX;
    for (int steps = 0; steps < 1000;) {
        int64_t before = now(), step = now() - before;
        if (step > 0) smallest = std::min(smallest, step), steps++;
    }
    return smallest;
}

std::string version() {
#if defined(__clang__)
    return to_string(__clang_major__) + "." + to_string(__clang_minor__) + "." + to_string(__clang_patchlevel__);
#else
    return to_string(__GNUC__) + "." + to_string(__GNUC_MINOR__) + "." + to_string(__GNUC_PATCHLEVEL__);
#endif
}

std::string hello() {
#if defined(__clang__)
    const char *name = "clang";
#else
    const char *name = "GCC";
#endif
    return "{\"verb\":\"hello\",\"wire\":" + to_string(WIRE) + ",\"runner\":\"c\",\"runtime\":\"c-" + version() + "\",\"name\":\"" + name +
           "\",\"version\":\"" + version() + "\",\"flags\":[\"-O2\"],\"clock_resolution_ns\":" + to_string(clock_resolution()) + "}";
}

int64_t whole_number(const json::Value &request, const char *key, int64_t least, int64_t most) {
    auto value = request[key].integer();
    if (!value || *value < least || *value > most)
        throw Refused(std::string(key) + " must be an integer from " + to_string(least) + " to " + to_string(most) + ", not " + request[key].shown());
    return *value;
}

// The given word if it is declared; "" if none is declared and none given.
std::string one_of(const char *what, const std::vector<std::string> &declared, const json::Value &given) {
    if (declared.empty() && given.kind == json::Kind::null) return "";
    if (declared.empty()) throw Refused(std::string(what) + " must be null, not " + given.shown());
    if (given.kind != json::Kind::text || std::find(declared.begin(), declared.end(), given.text) == declared.end())
        throw Refused(std::string(what) + " must be one of " + quoted_list(declared) + ", not " + given.shown());
    return given.text;
}

// The path of a regular file that may be read.
std::string readable(const char *what, const json::Value &path) {
    if (path.kind != json::Kind::text) throw Refused(std::string(what) + " must be the path of a file, not " + path.shown());
    struct stat about;
    std::string named = std::string(what) + ": " + path.text + ": ";
    if (stat(path.text.c_str(), &about) || access(path.text.c_str(), R_OK)) throw Refused(named + failed());
    if (!S_ISREG(about.st_mode)) throw Refused(named + "is not a regular file");
    return path.text;
}

std::vector<char> content(const char *what, const json::Value &path) {
    std::string named = readable(what, path);
    std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen(named.c_str(), "rb"), std::fclose);
    if (!file || std::fseek(file.get(), 0, SEEK_END)) throw Refused(std::string(what) + ": " + named + ": " + failed());
    std::vector<char> all(static_cast<size_t>(std::ftell(file.get())));
    std::rewind(file.get());
    if (std::fread(all.data(), 1, all.size(), file.get()) < all.size()) throw Refused(std::string(what) + ": " + named + ": " + failed());
    return all;
}

void set_parameters(const Strategy &strategy, const json::Value &given, Setup &setup) {
    auto declared = parameters(strategy);
    for (const auto &member : given.members) {
        const std::string &name = member.first;
        if (std::none_of(declared.begin(), declared.end(), [&](const Parameter &each) { return name == each.name; }))
            throw Refused("unknown parameter " + name);
    }
    for (const Parameter &each : declared) {
        auto value = static_cast<size_t>(whole_number(given, each.name, each.least, each.most));
        (each.name == std::string_view("block") ? setup.block : setup.buffer) = value;
    }
}

std::string of_each(const std::vector<int64_t> &values) {
    std::string made = "[";
    for (int64_t value : values) made += (made.size() > 1 ? "," : "") + to_string(value);
    return made + "]";
}

} // namespace

constexpr size_t PAGE = 4096; // what O_DIRECT wants of addresses, at most

Session::Prepared::~Prepared() { std::free(memory); }

std::string Session::answer(std::string_view line) {
    try {
        json::Value request = json::parse(line);
        const std::string &verb = request["verb"].text;
        if (verb == "hello") return hello();
        if (verb == "list") {
            if (const char *why = know_functions(true)) throw Refused(why);
            return list();
        }
        if (verb == "sample") return sample(request);
        if (verb == "open")
            open(request);
        else if (verb != "release") // every operation has closed and unmapped what it used
            throw Refused("unknown verb " + request["verb"].shown() + ", known are hello, list, open, sample and release");
        return "{\"verb\":" + json::quoted(verb) + "}";
    } catch (const std::bad_alloc &) {
        return "{\"error\":\"not enough memory\"}";
    } catch (const std::exception &error) {
        return "{\"error\":" + json::quoted(error.what()) + "}";
    }
}

void Session::open(const json::Value &request) {
    know_functions(false);
    const Strategy *strategy = find(request["strategy"].text);
    if (!strategy) throw Refused("unknown strategy " + request["strategy"].shown());
    try {
        if (const char *why = why_unavailable(*strategy)) throw Refused(std::string("cannot run here: ") + why);
        const json::Value &workload = request["workload"];
        one_of("operation", {operation_of(*strategy)}, workload["operation"]);
        std::string consume = one_of("consume", consumes(*strategy), workload["consume"]);
        std::string mode = one_of("mode", modes(*strategy), workload["mode"]);
        std::string durability = one_of("durability", durabilities(*strategy), workload["durability"]);
        auto padding = request["padding"].kind == json::Kind::null ? 0 : whole_number(request, "padding", 0, MOST_PADDING);

        auto next = std::make_unique<Prepared>();
        Setup &setup = next->setup;
        set_parameters(*strategy, request["parameters"], setup);
        open_now.reset(); // its memory is free for what comes
        next->strategy = strategy;
        setup.own = strategy->own;
        next->consume = consume == "sum" ? CONSUME_SUM : consume == "touch" ? CONSUME_TOUCH : CONSUME_NONE;
        next->padding.resize(static_cast<size_t>(padding));
        setup.append = mode == "append";
        setup.fsync = durability == "fsync";
        setup.fdatasync = durability == "fdatasync";
        setup.dsync = durability == "dsync";
        if (copies(*strategy)) {
            next->source = readable("payload", request["payload"]);
            setup.source = next->source.c_str();
        } else if (!reads(*strategy) || in_memory(*strategy)) {
            next->payload = content("payload", request["payload"]);
            setup.payload = next->payload.data();
            setup.length = next->payload.size();
        }
        if (at_random(*strategy)) {
            std::vector<char> raw = content("offsets", request["offsets"]);
            next->offsets.resize(raw.size() / sizeof(uint64_t));
            if (!raw.empty()) std::memcpy(next->offsets.data(), raw.data(), next->offsets.size() * sizeof(uint64_t));
            setup.offsets = next->offsets.data();
            setup.accesses = next->offsets.size();
        }
        if (setup.block && (!setup.payload || strategy->bypasses_cache)) {
            void *memory = nullptr;
            if (!strategy->bypasses_cache && !strategy->aligned)
                memory = std::malloc(setup.block);
            else if (posix_memalign(&memory, PAGE, setup.block))
                memory = nullptr;
            setup.memory = next->memory = static_cast<char *>(memory);
            if (!setup.memory) throw Refused("not enough memory for a block of " + to_string(setup.block) + " bytes");
            std::memset(setup.memory, 0, setup.block); // no page of it is new to an operation
        }
        open_now = std::move(next);
    } catch (const Refused &error) {
        throw Refused(std::string(strategy->name) + ": " + error.what());
    }
}

std::string Session::sample(const json::Value &request) {
    if (!open_now) throw Refused("sample before open: no strategy is open");
    int64_t operations = whole_number(request, "operations", 1, MOST_OPERATIONS);
    int64_t spans = whole_number(request, "spans", 1, MOST_SPANS);
    const std::vector<json::Value> &paths = request["paths"].items;
    if (paths.size() != 1 && static_cast<int64_t>(paths.size()) != operations * spans)
        throw Refused("paths must hold 1 path or operations × spans = " + to_string(operations * spans) + ", not " + to_string(paths.size()));
    auto many = static_cast<size_t>(spans);
    std::vector<int64_t> ns(many), count(many), sum(many);
    bool several = paths.size() > 1, told = true;
    fault_happened();
    for (size_t number = 0; number < many; number++) {
        Tally tally = {};
        tally.kind = open_now->consume;
        tally.mask = tally.kind == CONSUME_SUM ? 0 : tally.kind == CONSUME_TOUCH ? CACHE_LINE - 1 : UINT64_MAX;
        ns[number] = span(operations, &paths[several ? number * static_cast<size_t>(operations) : 0], several, tally);
        count[number] = static_cast<int64_t>(tally.before + tally.offset);
        sum[number] = static_cast<int64_t>(tally.has_result ? tally.result : tally.sum);
        told = told && (tally.has_result || tally.kind != CONSUME_NONE);
    }
    return "{\"verb\":\"sample\",\"ns\":" + of_each(ns) + ",\"operations\":" + of_each(std::vector<int64_t>(many, operations)) +
           ",\"count\":" + of_each(count) + ",\"sum\":" + (told ? of_each(sum) : "null") +
           ",\"counters\":{\"allocated_bytes\":null,\"gc_ns\":null,\"gc_count\":null}}";
}

// Carries out operations between two readings of the clock, and returns the ns between them.
int64_t Session::span(int64_t operations, const json::Value *paths, bool several, Tally &tally) {
    const Operation run = open_now->strategy->run;
    const Setup &setup = open_now->setup;
    const json::Value *path = paths;
    auto refuse = [&](const std::string &reason) { throw Refused(std::string(open_now->strategy->name) + ": " + path->text + ": " + reason); };
    int64_t taken = 0;
    try {
        int64_t start = now();
        for (int64_t left = operations; left > 0; left--, path += several) {
            tally.before += tally.offset;
            tally.offset = 0;
            if (const char *reason = run(&setup, path->text.c_str(), &tally)) refuse(reason);
        }
        taken = now() - start;
    } catch (const Refused &) {
        throw;
    } catch (const std::bad_alloc &) {
        refuse("not enough memory");
    } catch (const std::exception &error) {
        refuse(error.what());
    }
    if (fault_happened()) {
        path = paths;
        refuse("a page of the mapped file could not be had: no space for it, or the file lost it");
    }
    return taken;
}
