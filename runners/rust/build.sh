# Builds the runner by this cargo. Options of the command line have their way over a configuration of the user's: its target, linker and
# profile, also that of dependencies, are for programs of his own. With a version of the C library, zig links it against that, and nothing of it tells where it was built.
# With "library" it makes the library that a program loads whose functions were not written for the runner, with "glue" such a program.
# With "own" it builds the crate of the user's, which finds the runner as the crate iogauge_own.
set -e
cargo=$1 glibc=$2 zig=$3
patch= library= built=
case $glibc in
library) glibc= library=1 ;;
glue) # the crate in the folder $3, for the library in the folder $4
    glibc=
    cp "$4/libiogauge_own.so" .
    built=$PWD
    cd "$3"
    "$cargo" metadata --format-version 1 >/dev/null 2>&1 || "$cargo" metadata --format-version 1 --offline >/dev/null
    ;;
esac
if [ "$glibc" = own ]; then
    glibc= patch="patch.crates-io.iogauge_own.path='..'"
    cd own
    [ -f src/main.rs ] || { echo "error: no src/main.rs in that folder" >&2; exit 1; }
    [ -f Cargo.lock ] || cp ../Cargo.lock .
    # It adds to the lock file what is not in it yet.
    "$cargo" metadata --format-version 1 --config "$patch" >/dev/null 2>&1 || "$cargo" metadata --format-version 1 --config "$patch" --offline >/dev/null
fi
if [ "$glibc" ]; then
    target=$IOGAUGE_TARGET
    found=$("$CARGO_ZIGBUILD_ZIG_PATH" version)
    [ "$found" = "$zig" ] || { echo "error: zig is $found, not $zig" >&2; exit 1; }
    RUSTFLAGS="--remap-path-prefix=$PWD=runner"
    for registry in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*; do
        RUSTFLAGS="$RUSTFLAGS --remap-path-prefix=$registry=crates"
    done
    export RUSTFLAGS
    set -- zigbuild --target "$target.$glibc"
else
    target=$("$RUSTC" -vV | sed -n 's/^host: //p')
    set -- ${library:+rustc --lib --crate-type cdylib}
    set -- "${@:-build}" --target "$target" --config "target.$target.linker='cc'"
fi
# A name in the user's profile is stronger than "*".
for package in '*' $(sed -n 's/^name = "\(.*\)"$/\1/p' Cargo.lock | sort -u); do
    for setting in opt-level=3 codegen-units=1 debug=false debug-assertions=false overflow-checks=false; do
        set -- "$@" --config "profile.release.package.\"$package\".$setting"
    done
done
"$cargo" "$@" --release --locked --quiet ${patch:+--config "$patch"} \
    --config profile.release.opt-level=3 \
    --config profile.release.codegen-units=1 \
    --config profile.release.lto=true \
    --config "profile.release.panic='unwind'" \
    --config profile.release.debug=false \
    --config profile.release.debug-assertions=false \
    --config profile.release.overflow-checks=false \
    --config "profile.release.strip='debuginfo'" \
    --config profile.release.rpath=false
if [ "$library" ]; then
    mv "target/$target/release/libiogauge_own.so" .
elif [ "$built" ]; then
    mv "target/$target/release/iogauge-runner" "$built"
elif [ "$patch" ]; then
    mv "$(find "target/$target/release" -maxdepth 1 -type f -perm -u+x)" ../iogauge-runner
else
    mv "target/$target/release/iogauge-runner" .
fi
rm -r target
