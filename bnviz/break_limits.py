"""The limits by which a network is called broken, blown up, at chance or fallen."""

# A layer has broken with more than this share of its values saturated, or of its units dead.
BROKEN_SHARE = 0.9
# A loss has blown up if its mean over this number of steps exceeds this multiple of the start loss.
BLOWN_UP_STEPS, BLOWN_UP_FACTOR = 5, 3
# Up to the first margin above chance, a network is at chance; beyond the second, it has left it.
CHANCE_MARGIN, LEFT_MARGIN = 0.05, 0.1

# Number of steps that a headline calls "the last steps".
LATELY = 50
# A test accuracy that drops below this share of its best has fallen. The share is a quarter, not a
# third, because a look at 256 examples may be some percent too low.
KEPT = 3 / 4
