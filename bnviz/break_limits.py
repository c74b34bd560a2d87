"""Limits beyond which a network counts as broken, blown up, at chance level or fallen."""

# A layer has broken if more than this share of its values is saturated, or if more than this share
# of its units is dead.
BROKEN_SHARE = 0.9
# A loss has blown up if its mean over this number of steps exceeds this multiple of the initial
# loss.
BLOWN_UP_STEPS, BLOWN_UP_FACTOR = 5, 3
# Margins above chance level. A network is at chance level if its accuracy exceeds chance level by
# less than the first margin. It has left chance level if its accuracy exceeds chance level by more
# than the second margin.
CHANCE_MARGIN, LEFT_MARGIN = 0.05, 0.1

# Number of steps that a headline calls "the last steps".
LATELY = 50
# An accuracy below this share of an earlier accuracy has fallen. The limit is 3/4 instead of 2/3,
# because an accuracy measured on 256 examples may be a few percent too low.
KEPT = 3 / 4
