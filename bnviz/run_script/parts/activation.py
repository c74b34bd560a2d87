"""Nonlinearities."""

import torch
from torch import nn

from bnviz.run_script.parts.setting import config

if config.activation == "sigmoid":
    phi = torch.sigmoid
elif config.activation == "tanh":
    phi = torch.tanh
elif config.activation == "relu":
    phi = torch.relu
elif config.activation == "gelu":
    phi = nn.functional.gelu
elif config.activation == "linear":
    phi = nn.Identity()
