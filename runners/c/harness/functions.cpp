#include "functions.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "as_it_stands.h"
#include "guard.hpp"
#include "json.hpp"
#include "runner.h"
#include "trial.hpp"

namespace {

struct Function {
    const iogauge_function *code;
    Shown shown;
    std::string checked_name, result_name, title, call, refused;
    Strategy checked, result;
};

// None of these is ever destroyed: a function that ends the program is told at its end.
std::vector<const iogauge_function *> &added() {
    static auto *all = new std::vector<const iogauge_function *>;
    return *all;
}

constexpr struct {
    const char *word;
    bool Shown::*of;
} WORDS[] = {
    {"tried", &Shown::tried}, {"changes", &Shown::changes}, {"negative", &Shown::negative}, {"null", &Shown::null}, {"closes", &Shown::closes},
    {"owned", &Shown::owned}, {"text", &Shown::text},       {"bytes", &Shown::bytes},       {"lines", &Shown::lines},   {"leaves", &Shown::leaves},
    {"forks", &Shown::forks},
};

std::string folder() {
    char path[4096] = "";
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    std::string found(path, length > 0 ? static_cast<size_t>(length) : 0);
    return found.substr(0, found.rfind('/')) + "/own";
}

std::string kept_in() {
    std::ostringstream name;
    name << folder() << "/tried-" << __GNUC__ << "." << __GNUC_MINOR__ << "." << __GNUC_PATCHLEVEL__ << ".json";
    return name.str();
}

// A line of JSON: `{"c/own-count":["tried","negative"]}`.
std::map<std::string, Shown> kept() {
    std::map<std::string, Shown> found;
    std::ifstream in(kept_in());
    std::string text(std::istreambuf_iterator<char>(in), {});
    if (text.empty()) return found;
    try {
        json::Value all = json::parse(text);
        for (const auto &member : all.members)
            for (const auto &word : member.second.items)
                for (const auto &each : WORDS)
                    if (word.text == each.word) found[member.first].*each.of = true;
    } catch (const std::exception &) { // it was cut off: as if there were none
        found.clear();
    }
    return found;
}

void keep(const std::map<std::string, Shown> &all) {
    std::string made = "{", path = kept_in(), partial = path + "." + std::to_string(getpid());
    for (const auto &each : all) {
        made += (made.size() > 1 ? "," : "") + json::quoted(each.first) + ":[";
        for (const auto &word : WORDS)
            if (each.second.*word.of) made += (made.back() == '[' ? "" : ",") + json::quoted(word.word);
        made += "]";
    }
    std::ofstream(partial) << made << "}";
    if (std::rename(partial.c_str(), path.c_str())) std::remove(partial.c_str()); // a cache that cannot be written costs trials
}

std::string &failure = *new std::string; // what was said of the last one

// Whether a function that leaves memory behind took half of all that there is.
bool is_too_much() {
    static const size_t most = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) / 2 * static_cast<size_t>(sysconf(_SC_PAGESIZE));
    static unsigned calls = 0;
    return ++calls % 16 == 0 && bytes_in_use() > most;
}

template <bool CHECKED> const char *run(const Setup *setup, const char *path, Tally *tally) {
    const auto *function = static_cast<const Function *>(setup->own);
    const Shown &shown = function->shown;
    iogauge_result result = {};
    result.tally = CHECKED ? tally : nullptr;
    result.block = setup->block;
    shown_of_running = &shown;
    guard(function->checked_name.c_str(), function->code->shown, path);
    errno = 0;
    function->code->call(path, &result);
    int error = errno;
    guard(nullptr, nullptr, nullptr);
    end_if_started();
    if (shown.owned) free_given(result);
    if (result.why) return result.why;
    if (shown.leaves && is_too_much()) return "it leaves memory behind at each call, by now half of all; let it give that back";
    if ((result.negative && shown.tried && !shown.negative) || (result.null && shown.tried && !shown.null)) {
        if (error) return std::strerror(error);
        return result.null ? "it returned NULL" : "it returned a negative number";
    }
    tally->has_result = !CHECKED && result.numbers && !result.unknown;
    tally->result = result.number & ((uint64_t{1} << 48) - 1);
    return nullptr;
}

void make(Function &function, const Shown &shown) {
    function.shown = shown;
    const iogauge_function &code = *function.code;
    bool gives = shown.bytes || shown.lines;
    function.checked_name = code.name;
    function.result_name = function.checked_name + (gives ? "-as-result" : "");
    std::string name(code.shown, std::strcspn(code.shown, "("));
    auto fitting = [&](size_t most) {
        std::string whole = code.shown;
        if (whole.size() > most) whole = name + "()";
        if (whole.size() <= most) return whole;
        size_t at = whole.size() - most + 1;
        while ((whole[at] & 0xC0) == 0x80) at++; // in a character of several bytes
        return "…" + whole.substr(at);
    };
    function.title = fitting(60), function.call = fitting(34);
    if (code.why) function.refused = name + "() cannot be called: " + code.why;
    if (shown.changes) function.refused = name + "() changes the file that it is given; iogauge measures only what reads";
    if (shown.forks) function.refused = std::string(code.shown) + " starts a process that returns, too; let that one end by _exit()";
    Strategy all = {};
    all.title = function.title.c_str();
    all.call = function.call.c_str();
    all.effort = 1;
    all.own = &function;
    all.refused = function.refused.empty() ? nullptr : function.refused.c_str();
    if (code.takes_block) all.parameters[0] = BLOCK("bytes for its parameter of a size");
    function.checked = function.result = all;
    function.result.name = function.result_name.c_str();
    function.result.unit = "file";
    function.result.sums = "nothing";
    function.result.run = run<false>;
    if (gives) {
        function.checked.name = function.checked_name.c_str();
        function.checked.unit = shown.lines ? "line" : "file";
        function.checked.sums = shown.lines ? "line-byte" : nullptr;
        function.checked.buffer = "new";
        function.checked.memory_per_file_byte = 0;
        function.checked.run = run<true>;
        function.result.instead_of = function.checked.name;
        register_strategy(&function.checked);
    }
    register_strategy(&function.result);
}

void fold(iogauge_result *result, uint64_t number) {
    result->number = (result->number ^ number) * 0x9E3779B97F4A7C15u;
    result->number ^= result->number >> 29;
    result->numbers++;
}

// Some of them stand for all: a long one is not read once more.
uint64_t of_bytes(const char *data, size_t size) {
    uint64_t found = size;
    for (size_t at = 0; at < size; at += size / 32 + 1) found = (found ^ static_cast<unsigned char>(data[at])) * 1099511628211u;
    return found;
}

} // namespace

bool has_functions() { return !added().empty(); }

const char *know_functions(bool trying) {
    static auto &all = *new std::vector<Function>;
    if (!has_functions() || !all.empty()) return nullptr;
    auto known = kept();
    bool news = false;
    all.resize(added().size());
    for (size_t at = 0; at < all.size(); at++) {
        const iogauge_function *code = all[at].code = added()[at];
        Shown shown = known.count(code->name) ? known[code->name] : Shown();
        if (trying && !code->why && !shown.tried && !shown.changes && !shown.forks) {
            shown = try_out(*code, folder());
            if (shown.tried || shown.changes || shown.forks) known[code->name] = shown, news = true;
        }
        make(all[at], shown);
    }
    if (news) keep(known);
    for (const Function &each : all)
        if (each.refused.empty()) return nullptr;
    return all[0].refused.c_str();
}

extern "C" {

void iogauge_add(const iogauge_function *function) { added().push_back(function); }

void *iogauge_opened(const char *path, iogauge_result *result) {
    FILE *file = std::fopen(path, "rb");
    if (!file) result->why = failed();
    return file;
}

void iogauge_close(void *file) {
    if (!shown_of_running->closes) std::fclose(static_cast<FILE *>(file));
}

int iogauge_descriptor(const char *path, iogauge_result *result) {
    int descriptor = open(path, O_RDONLY);
    if (descriptor < 0) result->why = failed();
    return descriptor;
}

void iogauge_close_descriptor(int descriptor) {
    if (!shown_of_running->closes) close(descriptor);
}

void *iogauge_sink(void) {
    static FILE *sink = std::fopen("/dev/null", "w");
    return sink;
}

long iogauge_ignore(void) { return 0; }

void iogauge_says(iogauge_result *result, const char *text, size_t size) {
    failure.assign(text, size);
    result->why = failure.c_str();
}

void iogauge_number(iogauge_result *result, uint64_t number) { fold(result, number); }

// Nine digits of it: sums of the same numbers in another order are the same.
void iogauge_real(iogauge_result *result, double number) {
    constexpr int DIGITS = 30;
    int power = 0;
    double part = std::frexp(number, &power);
    if (number == std::floor(number) && std::fabs(number) < 9e15) return fold(result, static_cast<uint64_t>(static_cast<int64_t>(number)));
    if (!std::isfinite(number)) return fold(result, std::isnan(number) ? 1 : number > 0 ? 2 : 3);
    fold(result, static_cast<uint64_t>(std::llround(std::ldexp(part, DIGITS))) + static_cast<uint64_t>(power));
}

void iogauge_bytes(iogauge_result *result, const void *data, size_t size) {
    result->gives = IOGAUGE_BYTES;
    if (result->tally) tally_block(static_cast<Tally *>(result->tally), data, size);
    else fold(result, of_bytes(static_cast<const char *>(data), size));
}

void iogauge_lines(iogauge_result *result) { result->gives = IOGAUGE_LINES; }

void iogauge_line(iogauge_result *result, const char *line, size_t length) {
    if (!result->tally) return fold(result, of_bytes(line, length));
    if (length && line[length - 1] == '\n') length--;
    if (length && line[length - 1] == '\r') length--;
    tally_line(static_cast<Tally *>(result->tally), length);
}

void iogauge_pointer(iogauge_result *result, void *pointer, void (*frees)(void *)) {
    result->unknown = 1;
    if (!pointer) {
        result->null = 1;
    } else if (result->count < IOGAUGE_POINTERS) {
        result->pointers[result->count] = pointer;
        result->frees[result->count++] = frees ? frees : std::free;
    }
}

void iogauge_text(iogauge_result *result, void *text, const size_t *size) {
    constexpr size_t MOST = 4096; // of a result of its own
    int unknown = result->unknown;
    iogauge_pointer(result, text, nullptr);
    if (!text) return;
    const char *characters = static_cast<const char *>(text);
    if (size) {
        iogauge_bytes(result, text, *size);
    } else if (shown_of_running->text) {
        iogauge_bytes(result, text, result->tally ? std::strlen(characters) : strnlen(characters, MOST));
    } else {
        return;
    }
    result->unknown = unknown;
}
}
