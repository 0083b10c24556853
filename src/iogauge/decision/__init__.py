"""Whether a group is decided, what to use, what each case costs, and when to stop.

Ratios per replicate come in, with what is known of their noise. Typed values go out, without a
word of text. Nothing else in iogauge decides.
"""
