// What a function of the user's may do beyond returning: end the program.
#pragma once

// A function with this name (`c/own-count`, `count(path)`) runs on this file from now on; none where these are null.
void guard(const char *strategy, const char *shown, const char *path);

// In a child that tries a function, all signals do what they always do.
void without_guard();
