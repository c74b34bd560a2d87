"""The composer writes the norms of the run here, by network."""

from bnviz.run_script.parts.norms.batch import batch
from bnviz.run_script.parts.norms.none import none

NORMS = {"none": none, "batch": batch}
