"""The nouns that everything else is made of, and how quantities become text.

Nothing comes in. Out go the frozen types (case, workload, conditions, strategy, runtime, plan), the
one place that writes sizes, times, rates, ratios and intervals for people, our errors, exit
statuses and folders.
"""
