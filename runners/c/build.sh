# Compiles the runner with the compiler $1: .c files as C, .cpp files as C++.
set -eu

compiler=$1
flags="-O2 -g0 -Wall -Wextra -Wno-missing-field-initializers -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -Iharness -Istrategies"

one() {
    case $1 in
    *.c) "$compiler" -std=gnu11 $flags -c "$1" -o "$1.o" ;;
    *) "$compiler" -x c++ -std=gnu++17 $flags -c "$1" -o "$1.o" ;;
    esac
}

waiting=
for source in harness/*.cpp strategies/*.cpp strategies/*.c; do
    one "$source" &
    waiting="$waiting $!"
done
for each in $waiting; do
    wait "$each"
done
"$compiler" harness/*.o strategies/*.o -lstdc++ -lpthread -lm -o iogauge-runner
rm harness/*.o strategies/*.o
