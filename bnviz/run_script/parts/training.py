"""A run of bnviz in PyTorch{setting}.

{needs}

Prints each network's loss on the next mini-batch, and its loss and accuracy on the test set. The
initial weights, mini-batches and noise are those of the run, so the numbers agree with the run up
to rounding. Rounding differs by about 1e-7 per operation. While a network learns, that hardly
matters: expect differences below 0.1 % in the first steps. Deep networks with batch normalization
differ sooner (with 50 layers, by a few percent at step 2), and so do networks that Adam trains.
After a network breaks, or at a rate near its limit, small differences grow at every step, and only
the outcome agrees.

The app also exports the run's weights, as an .npz file: its array "{weights}" is
networks["{network}"].layers[0].weight after its number of steps, "step".
"""

from bnviz.run_script.parts.changes import change, knobs
from bnviz.run_script.parts.examples import x, y
from bnviz.run_script.parts.loss import loss_of, tested
from bnviz.run_script.parts.mini_batches import mini_batch
from bnviz.run_script.parts.networks import Network
from bnviz.run_script.parts.norms import NORMS
from bnviz.run_script.parts.optimizers import new_optimizer
from bnviz.run_script.parts.setting import (
    BATCH_SIZE,
    CHANGES,
    EVERY,
    PAUSING,
    STEPS,
    run,
    uses_step,
)

networks = {name: Network(name) for name in NORMS}
optimizers = {name: new_optimizer(name, net) for name, net in networks.items()}

taken = 0  # training examples so far
print("step network loss test_loss test_accuracy")
for step in range(STEPS + 1):
    if run.changed:
        if step in CHANGES:
            change(CHANGES[step], networks, optimizers)
    rows = mini_batch(taken, knobs["batch_size"] if "batch_size" in run.changed else BATCH_SIZE)
    taken += len(rows)
    for name, net in networks.items():
        shown = step % EVERY == 0 or step == STEPS
        if shown:
            numbers = tested(net)
        net.train()
        if uses_step:
            for part in net.modules():
                part.step = step  # for noise and schedules
        if run.fixes_statistics:
            # Norms use their running averages as constants.
            if "norm_statistics" in run.changed:
                fixed = knobs["norm_statistics"] == "running"
            else:
                fixed = True
            for part in net.modules():
                if hasattr(part, "running_mean"):
                    part.train(not fixed)
        if run.pausing:
            # A mini-batch of one example has no variance, so these networks take no step.
            if run.fixes_statistics:
                paused = len(rows) == 1 and name in PAUSING and not fixed
            else:
                paused = len(rows) == 1 and name in PAUSING
            if paused:
                net.eval()
        loss = loss_of(net(x[rows]), y[rows])
        if shown:
            print(step, name, *(f"{number:.7g}" for number in (loss.item(), *numbers)))
        if run.pausing:
            if paused:
                continue
        if step < STEPS and loss.isfinite():
            optimizers[name].zero_grad()
            loss.backward()
            optimizers[name].step()
