"""Training and test examples, scaled with constants of the training set."""

import numpy as np
import torch

from bnviz.run_script.parts.data import load
from bnviz.run_script.parts.setting import NOISE, SEED, config, run

torch.set_default_dtype(torch.float32)  # as in the app; float64 shows what is rounding

x, y, test_x, test_y = load()
if run.noise:
    noise_in_inputs = np.random.default_rng([SEED, 2])
    x, test_x = (
        part + np.float32(NOISE) * noise_in_inputs.standard_normal(part.shape, dtype=np.float32)
        for part in (x, test_x)
    )
if config.input_scaling == "standardize":
    mean, std = x.mean(dtype=np.float64), x.std(dtype=np.float64)
    x, test_x = ((part - np.float32(mean)) / np.float32(std) for part in (x, test_x))
elif config.input_scaling == "per_feature":
    mean, std = x.mean(0, dtype=np.float64), x.std(0, dtype=np.float64)
    std[std == 0] = 1  # pixels that are blank in every image
    x, test_x = ((part - np.float32(mean)) / np.float32(std) for part in (x, test_x))
elif config.input_scaling == "unit":
    if not run.images:
        low, high = x.min(0).astype(np.float64), x.max(0).astype(np.float64)
        x, test_x = ((part - np.float32(low)) / np.float32(high - low) for part in (x, test_x))
elif config.input_scaling == "binary":
    if run.images:
        threshold = 0.5
    else:
        threshold = (x.min(0).astype(np.float64) + x.max(0)) / 2
    x, test_x = ((part > threshold).astype(np.float32) for part in (x, test_x))
x, test_x = (torch.from_numpy(part).to(torch.get_default_dtype()) for part in (x, test_x))
y, test_y = torch.from_numpy(y), torch.from_numpy(test_y)
features, classes = x.shape[1], int(max(y.max(), test_y.max())) + 1
