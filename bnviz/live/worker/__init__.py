"""In a process of its own, `python -m bnviz.live.worker`: trains and measures runs in slices."""
