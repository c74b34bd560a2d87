"""The limits by which a network is called broken, blown up, at chance or fallen."""

# A layer has broken with more than this share of its values saturated, or of its units dead.
BROKEN_SHARE = 0.9
# A loss has blown up whose mean over so many steps is above this multiple of that at the start.
BLOWN_UP_STEPS, BLOWN_UP_FACTOR = 5, 3
# So far above chance, a network is at chance; above the other one, it has left it.
CHANCE_MARGIN, LEFT_MARGIN = 0.05, 0.1

# What "over the last steps" means wherever a headline says how a network does.
LATELY = 50
# Whose test accuracy keeps less than this share has fallen. A quarter, though a third is what
# counts: a look at 256 examples may be some percent too low.
KEPT = 3 / 4
