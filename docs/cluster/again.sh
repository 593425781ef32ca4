#!/bin/sh
# Runs a command under Slurm until it is done: SIGTERM is passed on, and the job is requeued when the command says "try
# again" (exit code 75) or was killed, unless it was cancelled (scancel). After 100 starts it gives up.
"$@" &
worker=$!
trap 'kill -TERM $worker 2>/dev/null' TERM
code=0
wait $worker || code=$?
# A signal ends the wait, not the worker.
while kill -0 $worker 2>/dev/null; do
    code=0
    wait $worker || code=$?
done
case $code in
    75 | 137 | 143)
        case $(squeue --noheader --jobs="$SLURM_JOB_ID" --format=%T 2>/dev/null || true) in
            CANCELLED | COMPLETING) echo "again: exit code $code, cancelled" && exit $code ;;
        esac
        if [ "${SLURM_RESTART_COUNT:-0}" -lt 100 ]; then
            echo "again: exit code $code, requeued after start $((${SLURM_RESTART_COUNT:-0} + 1))"
            scontrol requeue "$SLURM_JOB_ID"
        fi
        ;;
esac
exit $code
