#!/bin/sh
# The worker of {{ name }}, and again when it has ended, as it does when it has lost its scheduler.
# Whatever is being measured is another process, and goes on without the worker. To begin:
#   nohup sh THIS-FILE >worker.log 2>&1 &
worker=
ended() {
    trap - TERM INT HUP
    [ -n "$worker" ] && kill "$worker" 2>/dev/null
    exit 0
}
trap ended TERM INT HUP
while :; do
    {{ command }} &
    worker=$!
    wait "$worker"
    sleep 5
done
