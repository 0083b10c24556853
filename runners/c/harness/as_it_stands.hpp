// As as_it_stands.h, for C++11 and newer: what functions give back, by its type.
#pragma once

#include <cxxabi.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <fstream>
#include <istream>
#include <memory>
#include <new>
#include <ostream>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "as_it_stands.h"

extern "C" void iogauge_says(iogauge_result *result, const char *text, size_t size);

namespace iogauge_glue {

template <int N> struct Rank : Rank<N - 1> {};
template <> struct Rank<0> {};
using First = Rank<9>;

// What a function without a result gives back.
struct Void {};
template <class T> T &&operator,(T &&given, Void) { return static_cast<T &&>(given); }

// What a callback gives back: true, or a default value.
struct Yes {
    template <class T, class = typename std::enable_if<std::is_arithmetic<T>::value>::type> operator T() const { return T(1); }
};
struct Ignore {
    template <class... T> Yes operator()(T &&...) const { return Yes(); }
};

template <class T> void take(iogauge_result *, const T &);

template <class T, class = void> struct Freeing {
    static void of(void *pointer) { free(pointer); }
};
template <class T>
struct Freeing<T, typename std::enable_if<std::is_class<T>::value && (sizeof(T) > 0) && std::is_destructible<T>::value>::type> {
    static void of(void *pointer) { delete static_cast<T *>(pointer); }
};

template <class T> struct IsByte : std::integral_constant<bool, std::is_integral<T>::value && sizeof(T) == 1 && !std::is_same<T, bool>::value> {};
#if __cplusplus >= 201703L
template <> struct IsByte<std::byte> : std::true_type {};
#endif

inline void taken(iogauge_result *, const Void &, First) {}

template <class T> typename std::enable_if<std::is_enum<T>::value>::type taken(iogauge_result *result, const T &given, Rank<8>) {
    take(result, static_cast<typename std::underlying_type<T>::type>(given));
}

template <class T> typename std::enable_if<std::is_integral<T>::value>::type taken(iogauge_result *result, const T &given, Rank<8>) {
    if (std::is_signed<T>::value && given < T(0)) result->negative = 1;
    iogauge_number(result, static_cast<uint64_t>(given));
}

template <class T> typename std::enable_if<std::is_floating_point<T>::value>::type taken(iogauge_result *result, const T &given, Rank<8>) {
    iogauge_real(result, static_cast<double>(given));
}

template <class T> void taken(iogauge_result *result, T *const &given, Rank<8>) {
    using Plain = typename std::remove_cv<T>::type;
    void *pointer = const_cast<Plain *>(given);
    if (std::is_same<Plain, char>::value) iogauge_text(result, pointer, nullptr);
    else iogauge_pointer(result, pointer, Freeing<Plain>::of);
}

// Bytes in a row: strings, vectors of characters.
template <class T>
auto taken(iogauge_result *result, const T &given, Rank<7>) ->
    typename std::enable_if<IsByte<typename std::decay<decltype(*given.data())>::type>::value && sizeof(given.size()) != 0>::type {
    iogauge_bytes(result, given.data(), static_cast<size_t>(given.size()));
}

// Lines: containers of strings.
template <class T>
auto taken(iogauge_result *result, const T &given, Rank<6>) ->
    typename std::enable_if<std::is_same<typename std::decay<decltype(given.begin()->data()[0])>::type, char>::value && sizeof(given.size()) != 0>::type {
    iogauge_lines(result);
    if (result->tally) {
        for (const auto &line : given) iogauge_line(result, line.data(), line.size());
        return;
    }
    size_t at = 0, size = static_cast<size_t>(given.size()), step = size / 16 + 1;
    for (const auto &line : given)
        if (at++ % step == 0) iogauge_line(result, line.data(), line.size());
    iogauge_number(result, size);
}

// Several numbers, of which some are looked at.
template <class T>
auto taken(iogauge_result *result, const T &given, Rank<5>) ->
    typename std::enable_if<std::is_arithmetic<typename std::decay<decltype(given.data()[0])>::type>::value && sizeof(given.size()) != 0>::type {
    const size_t size = static_cast<size_t>(given.size());
    const int negative = result->negative; // one among them is no failure
    for (size_t at = 0; at < size; at += size / 16 + 1) take(result, given.data()[at]);
    result->negative = negative;
    iogauge_number(result, size);
}

// What may have a value, or an error.
template <class T> auto of_error(iogauge_result *result, const T &given, Rank<1>) -> decltype(given.error().message(), void()) {
    const std::string text = given.error().message();
    iogauge_says(result, text.data(), text.size());
}
template <class T> auto of_error(iogauge_result *result, const T &given, Rank<1>) -> decltype(std::string(given.error()), void()) {
    const std::string text(given.error());
    iogauge_says(result, text.data(), text.size());
}
template <class T> auto of_error(iogauge_result *result, const T &given, Rank<0>) -> decltype(given.error(), void()) {
    iogauge_says(result, "it returned an error", 20);
}
template <class T> void of_error(iogauge_result *result, const T &, ...) { result->null = 1; }

template <class T> auto taken(iogauge_result *result, const T &given, Rank<4>) -> decltype(given.has_value(), *given, void()) {
    if (given.has_value()) take(result, *given);
    else of_error(result, given, Rank<1>());
}

template <class A, class B> void taken(iogauge_result *result, const std::pair<A, B> &given, Rank<4>) {
    const int negative = result->negative;
    take(result, given.first);
    take(result, given.second);
    result->negative = negative;
}

// Smart pointers.
template <class T> auto taken(iogauge_result *result, const T &given, Rank<3>) -> decltype(given.get(), *given, bool(given), void()) {
    result->null |= given.get() == nullptr;
    result->unknown = 1;
}

// Of other containers the size is compared.
template <class T> auto taken(iogauge_result *result, const T &given, Rank<2>) -> decltype(given.begin(), given.end(), given.size(), void()) {
    iogauge_number(result, static_cast<uint64_t>(given.size()));
}

template <class T> void taken(iogauge_result *result, const T &, Rank<0>) { result->unknown = 1; }

template <class T> void take(iogauge_result *result, const T &given) {
    taken(result, given, First());
    __asm__ volatile("" : : "r"(&given) : "memory");
}

// What a parameter that is given back holds.
inline void given_back(iogauge_result *result, const std::error_code &code) {
    if (!code) return;
    const std::string text = code.message();
    iogauge_says(result, text.data(), text.size());
}
template <class T> void given_back(iogauge_result *result, const T &given) {
    const int negative = result->negative, null = result->null;
    take(result, given);
    result->negative = negative, result->null = null;
}

inline void must_be_open(const std::istream &in) {
    if (!in) throw std::system_error(errno, std::generic_category());
}

struct Closing {
    void *file;
    ~Closing() { iogauge_close(file); }
};
struct ClosingDescriptor {
    int descriptor;
    ~ClosingDescriptor() { iogauge_close_descriptor(descriptor); }
};

// Carries out a call, and tells what it throws.
template <class Call> void guarded(iogauge_result *result, Call call) {
    auto says = [&](const std::string &text) { iogauge_says(result, text.data(), text.size()); };
    try {
        call();
    } catch (const std::system_error &error) {
        const std::string text = error.what(), message = error.code().message();
        says(text == message || text.empty() ? message : text);
    } catch (const std::exception &error) {
        says(error.what());
    } catch (const std::string &text) {
        says(text);
    } catch (const char *text) {
        says(text);
    } catch (...) {
        const std::type_info *type = abi::__cxa_current_exception_type();
        char *name = type ? abi::__cxa_demangle(type->name(), nullptr, nullptr, nullptr) : nullptr;
        says(std::string("it throws ") + (name ? name : "something"));
        free(name);
        if (!type) throw; // a thread that is ended
    }
}

} // namespace iogauge_glue

#define IOGAUGE_CALLED(result, ...) iogauge_glue::take(result, (__VA_ARGS__, iogauge_glue::Void()))
