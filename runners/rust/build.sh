# Builds the runner by this cargo. Options of the command line have their way over a configuration of the user's: its target, linker and
# profile are for programs of his own.
set -e
host=$("$RUSTC" -vV | sed -n 's/^host: //p')
"$1" build --release --locked --quiet --target "$host" \
    --config "target.$host.linker='cc'" \
    --config profile.release.opt-level=3 \
    --config profile.release.codegen-units=1 \
    --config profile.release.lto=true \
    --config "profile.release.panic='unwind'" \
    --config profile.release.debug=false \
    --config profile.release.debug-assertions=false \
    --config profile.release.overflow-checks=false \
    --config "profile.release.strip='none'" \
    --config profile.release.rpath=false
mv "target/$host/release/iogauge-runner" .
rm -r target
