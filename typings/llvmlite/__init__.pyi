from llvmlite import binding as binding
from llvmlite import ir as ir

__version__: str
