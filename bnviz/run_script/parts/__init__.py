"""Source of the scripts. `bnviz.run_script.compose` reads these files and does not import them."""
