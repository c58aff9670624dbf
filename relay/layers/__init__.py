"""The training library: layers, losses, optimizers and training steps.

A model is a parameter tree: a data class of tensors whose `__call__` takes expressions. Functions
of this package build Relay programs from functions of such trees.

>>> from relay import layers, nn
>>> model = layers.Sequential(layers.Linear(4, 8), nn.relu, layers.Linear(8, 2))
>>> weights = layers.initialize(model, seed=1)
>>> weights.layers[0].weight.shape
(8, 4)
"""

from relay.layers import initializers as initializers
from relay.layers.conv import Conv2D as Conv2D
from relay.layers.dropout import Dropout as Dropout
from relay.layers.dropout import dropout as dropout
from relay.layers.imported_model import Imported as Imported
from relay.layers.imported_model import from_module as from_module
from relay.layers.layer import Layer as Layer
from relay.layers.layer import Sequential as Sequential
from relay.layers.learning_rate_schedules import cosine_decay as cosine_decay
from relay.layers.learning_rate_schedules import exponential_decay as exponential_decay
from relay.layers.learning_rate_schedules import piecewise as piecewise
from relay.layers.learning_rate_schedules import warmup as warmup
from relay.layers.linear import Embedding as Embedding
from relay.layers.linear import Linear as Linear
from relay.layers.losses import accuracy as accuracy
from relay.layers.losses import binary_cross_entropy as binary_cross_entropy
from relay.layers.losses import cross_entropy as cross_entropy
from relay.layers.losses import huber as huber
from relay.layers.losses import mean_absolute_error as mean_absolute_error
from relay.layers.losses import mean_squared_error as mean_squared_error
from relay.layers.lstm import LSTM as LSTM
from relay.layers.normalization import BatchNorm as BatchNorm
from relay.layers.normalization import LayerNorm as LayerNorm
from relay.layers.normalization import batch_norm as batch_norm
from relay.layers.optimizers import Optimizer as Optimizer
from relay.layers.optimizers import adam as adam
from relay.layers.optimizers import adamw as adamw
from relay.layers.optimizers import apply_updates as apply_updates
from relay.layers.optimizers import chain as chain
from relay.layers.optimizers import clip_by_norm as clip_by_norm
from relay.layers.optimizers import clip_by_value as clip_by_value
from relay.layers.optimizers import lion as lion
from relay.layers.optimizers import sgd as sgd
from relay.layers.parameter_tree import Parameter as Parameter
from relay.layers.parameter_tree import astype as astype
from relay.layers.parameter_tree import buffer as buffer
from relay.layers.parameter_tree import leaves as leaves
from relay.layers.parameter_tree import map_tree as map_tree
from relay.layers.parameter_tree import trained as trained
from relay.layers.parameter_tree import with_leaves as with_leaves
from relay.layers.safetensors_files import load_safetensors as load_safetensors
from relay.layers.safetensors_files import save_safetensors as save_safetensors
from relay.layers.trace_tree_functions import TreeFunction as TreeFunction
from relay.layers.trace_tree_functions import compile_function as compile_function
from relay.layers.trace_tree_functions import initialize as initialize
from relay.layers.trace_tree_functions import traced as traced
from relay.layers.training import TrainingState as TrainingState
from relay.layers.training import start as start
from relay.layers.training import training_epoch as training_epoch
from relay.layers.training import training_step as training_step
from relay.layers.training_mode import INFERENCE as INFERENCE
from relay.layers.training_mode import Mode as Mode
