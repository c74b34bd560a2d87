"""Constants at the top of a script. The composer evaluates each value for the run."""

from bnviz.config import RunConfig
from bnviz.run_script.scripted_run import ScriptedRun

run = ScriptedRun(RunConfig())
config = run.config
# The composer finds these two in the norms' files.
biased = run.after
uses_step = False

SEED = config.seed
STEPS = run.steps
EVERY = run.every  # steps between two printed lines
NOISE = run.noise  # standard deviation of the noise in the inputs
DEPTH = config.depth
WIDTH = config.width
SKIP = config.skip  # layers per residual block
BRANCH_START = config.branch_start  # factor of each residual branch at step 0
TIMES = run.times  # time steps of the recurrent network
GAMMA = config.recurrent_gamma  # initial γ
INIT_STD = config.init_std or 0.1
BATCH_SIZE = config.batch_size
RATES = config.rates()
FACTORS = config.rate_factors  # of the learning rate: hidden weights and biases, γ and β, output
MOMENTUM = config.momentum
WEIGHT_DECAY = config.weight_decay
EPS = config.norm_eps
AVERAGING = config.norm_momentum  # weight of the newest mini-batch in running averages
AFFINE = config.norm_affine  # whether γ and β are learned
GROUPS = config.norm_groups
DROPOUT = config.dropout
GHOST_SIZE = config.ghost_size
ABLATED_LAYERS = config.ablation_layers
UNITS = run.unit_shape  # shape of one value per unit
AXES = run.batch_axes  # axes over which batch statistics are computed
AFTER = run.after  # networks whose norms follow the nonlinearity
BIASED = biased  # networks whose layers have a bias before the norm
PAUSING = run.pausing  # networks that need two examples per step
KNOBS = run.knobs  # settings that change, at step 0
CHANGES = run.changes  # step: new settings
