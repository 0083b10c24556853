#!/bin/bash
# sbatch THIS-FILE starts a worker on each of {{ count }} nodes, which no other job uses meanwhile.
# Slurm ends all processes of a step with the first one: so that is this loop, and not a worker,
# which ends when it has lost its scheduler.
#SBATCH --job-name=iogauge-fleet
#SBATCH --nodes={{ count }}
#SBATCH --ntasks={{ count }}
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
#SBATCH --time=08:00:00
#SBATCH --requeue
srun --kill-on-bad-exit=0 bash -c '
while :; do
    {{ command }}
    sleep 5
done
'
