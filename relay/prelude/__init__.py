"""The library of the language, written in the language: lists, trees, numbers, tensor arrays."""

from relay.prelude.library import import_from_std as import_from_std
from relay.prelude.library import library as library
from relay.prelude.prelude import Prelude as Prelude
