# Compiles the runner with the compiler $1: .c files as C, .cpp files as C++.
set -eu

compiler=$1
flags="-O2 -g0 -Wall -Wextra -Wno-missing-field-initializers -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -Iharness -Istrategies"

libraries=
if echo '#include <zlib.h>
int main(void) { return !zlibVersion(); }' | "$compiler" -x c - -lz -o with_zlib 2>/dev/null; then
    flags="$flags -DWITH_ZLIB" libraries=-lz
fi
rm -f with_zlib

one() {
    case $1 in
    *.c) "$compiler" -std=gnu11 $flags -c "$1" -o "$1.o" ;;
    *) "$compiler" -x c++ -std=gnu++17 $flags -c "$1" -o "$1.o" ;;
    esac
}

waiting=
for source in own/code.c* harness/*.cpp strategies/*.cpp strategies/*.c; do # own: the user's, if there is any
    [ -e "$source" ] || continue
    one "$source" &
    waiting="$waiting $!"
done
for each in $waiting; do
    wait "$each"
done
"$compiler" -r -nostdlib harness/*.o strategies/*.o -o iogauge-runner.o # own.sh links it with functions as they stand
echo "$libraries" >libraries.txt
"$compiler" $(ls own/*.o 2>/dev/null) iogauge-runner.o -lstdc++ -lpthread -lm $libraries -o iogauge-runner
rm -f harness/*.o strategies/*.o own/*.o
