hinge._core.__prefix__:
    \from collections.abc import Callable
    \from typing import TypeAlias
    Monitor: TypeAlias = Callable[[Progress], bool]  # False: stop at the next consistent point
