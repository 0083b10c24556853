// A function of the user's is called with a small file of two lines, in a process of its own.
#pragma once

#include <string>

#include "as_it_stands.h"

// What a trial showed.
struct Shown {
    bool tried = false;    // it returned
    bool changes = false;  // the file
    bool forks = false;    // it returned in a process that it started, too
    bool negative = false; // it gave a negative number, so that this is no failure;
    bool null = false;     // or NULL
    bool closes = false;   // it closes the file that it is given
    bool owned = false;    // what it gives has to be freed
    bool leaves = false;   // memory behind at each call
    bool text = false;     // so have its characters a NUL at their end
    bool bytes = false;    // it gives the bytes of the file;
    bool lines = false;    // or its lines
};

// Calls it in children of this process, with a file in this folder.
Shown try_out(const iogauge_function &function, const std::string &folder);

// What is known of the function that runs, for what the glue asks meanwhile.
extern const Shown *shown_of_running;

// Ends a process that a call started and in which it returned as well.
void end_if_started();

// Frees what it gave.
void free_given(iogauge_result &result);

// Bytes that were allocated and not freed, as far as the C library tells.
size_t bytes_in_use();
