"""Reading and writing programs and parameters as binary files."""

from relay.container.module_file import load_module as load_module
from relay.container.module_file import save as save
from relay.container.parameter_file import is_parameters as is_parameters
from relay.container.parameter_file import load_param_dict as load_param_dict
from relay.container.parameter_file import load_params as load_params
from relay.container.parameter_file import save_param_dict as save_param_dict
from relay.container.parameter_file import save_params as save_params
