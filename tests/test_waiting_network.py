"""Messages about a network that cannot take a step."""

from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.words.story import tell_story
from bnviz.words.texts import texts


def test_a_network_whose_mini_batches_are_too_small_waits_and_says_how_many_it_needs():
    config = RunConfig(batch_size=1, depth=1, width=4)
    experiment = Experiment(config)
    experiment.step()
    told = tell_story(experiment.snapshot(probes=()), config)
    assert told["batch"]["headline"][0] == "undefined_norm"
    assert "waiting" in texts("story")["headline"]["undefined_norm"]
    assert ["undefined_norm_why", {"needed": 2}] in [list(each) for each in told["batch"]["detail"]]
    assert told["none"]["headline"][0] != "undefined_norm"
