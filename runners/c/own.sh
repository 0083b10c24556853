# Compiles functions of the user's, as they stand, with the compiler $1 and links them with the runner that is built
# here. Each own/*.args has the arguments for one source; where C++ is too new for the compiler's standard, and the user
# asks for none, a newer one is tried. own/link.args has what the linker is told besides.
set -eu

compiler=$1
cores=$(nproc 2>/dev/null || echo 1)

one() {
    "$compiler" "@$1" -c -o "$1.o" >"$1.said" 2>&1 && return
    case $1 in
    *.newer.args)
        for standard in gnu++20 gnu++23; do
            "$compiler" "@$1" "-std=$standard" -c -o "$1.o" >"$1.said.newer" 2>&1 && return
        done
        ;;
    esac
    cat "$1.said"
    return 1
}

waiting= number=0
for args in own/*.args; do
    [ "$args" != own/link.args ] || continue
    one "$args" &
    waiting="$waiting $!" number=$((number + 1))
    if [ "$number" -ge "$cores" ]; then
        for each in $waiting; do wait "$each"; done
        waiting= number=0
    fi
done
for each in $waiting; do wait "$each"; done
"$compiler" own/*.args.o iogauge-runner.o @own/link.args -lstdc++ -lpthread -lm $(cat libraries.txt) -o iogauge-runner
rm -f own/*.args.o own/*.said*
