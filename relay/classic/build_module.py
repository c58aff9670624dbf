"""`relay.build_module`: what people took from the module of that name."""

from relay.build.executors import create_executor
from relay.build.factory import build
from relay.classic.binding import bind_params_by_name

__all__ = ["bind_params_by_name", "build", "create_executor"]
