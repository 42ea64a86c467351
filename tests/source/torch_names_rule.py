"""The rule that makes ringlab/grading/torch_names.py from an installed torch.

    python tests/source/torch_names_rule.py > ringlab/grading/torch_names.py

Kept apart from the judge, which must not import torch: it reads the written list.
A name is taken when it computes on tensors and leads nowhere else: an operator of the dispatcher,
a dtype, a plain number, a class of layers, losses or optimizers. Modules are never taken.
"""

from __future__ import annotations

import importlib
import textwrap
from types import ModuleType

# Operators that reach files, other processes or raw memory, and those of one vendor's kernels.
SIDE_DOORS = {"from_file", "from_dlpack", "to_dlpack", "cudnn_is_acceptable", "is_vulkan_available"}
VENDOR_PREFIXES = ("cudnn_", "miopen_", "mkldnn_", "fbgemm_", "sym_constrain")

TORCH_BY_HAND = """
    AVG SUM BoolTensor ByteTensor CharTensor DoubleTensor FloatTensor IntTensor LongTensor
    ShortTensor BFloat16Tensor HalfTensor Event Stream Generator OutOfMemoryError Size SymBool
    SymFloat SymInt Tensor autocast broadcast_shapes channels_last channels_last_3d
    contiguous_format preserve_format default_generator device dtype enable_grad finfo iinfo
    inference_mode is_grad_enabled is_inference_mode_enabled is_storage is_tensor layout
    lobpcg lu manual_seed initial_seed seed memory_format newaxis no_grad set_grad_enabled
    get_default_dtype get_default_device get_num_threads set_num_threads get_rng_state
    set_rng_state set_printoptions typename unique unravel_index vmap svd_lowrank pca_lowrank
    strided sparse_coo sparse_csr are_deterministic_algorithms_enabled use_deterministic_algorithms
    is_autocast_enabled get_autocast_dtype set_float32_matmul_precision sym_max sym_min sym_int
    sym_float sym_not qscheme per_tensor_affine per_channel_affine
"""

# Those that communicate, and those with methods that read an attribute by a name of one's choice.
NOT_LAYERS = {
    "Container",
    "DataParallel",
    "GRU",
    "LSTM",
    "ParameterDict",
    "RNN",
    "RNNBase",
    "SyncBatchNorm",
}
NOT_FUNCTIONAL = {
    "assert_int_or_pair",
    "boolean_dispatch",
    "handle_torch_function",
    "has_torch_function",
    "has_torch_function_unary",
    "has_torch_function_variadic",
}


def public(module: ModuleType) -> dict[str, object]:
    """Every public name of a module that isn't a module itself."""
    return {
        name: value
        for name in dir(module)
        if not name.startswith("_") and not isinstance(value := getattr(module, name), ModuleType)
    }


def top_level() -> set[str]:
    torch = importlib.import_module("torch")
    operators = torch._C._VariableFunctions
    taken = set(TORCH_BY_HAND.split())
    for name in torch.__all__:
        value = getattr(torch, name)
        if isinstance(value, (torch.dtype, float)) or hasattr(operators, name):
            taken.add(name)
    taken |= {name for name in dir(operators) if name.startswith("_foreach_")}
    return {
        name for name in taken if name not in SIDE_DOORS and not name.startswith(VENDOR_PREFIXES)
    }


def functions_of(name: str, *without: str) -> set[str]:
    """Functions that the module defines or takes from torch's C++ operators."""
    module = importlib.import_module(name)
    found = set()
    for key, value in public(module).items():
        home = getattr(value, "__module__", None) or ""
        callable_here = callable(value) and not isinstance(value, type)
        if callable_here and not home.startswith(("typing", "collections", "torch._jit_internal")):
            found.add(key)
    return found - set(without)


def classes_of(name: str, *without: str) -> set[str]:
    module = importlib.import_module(name)
    return {key for key, value in public(module).items() if isinstance(value, type)} - set(without)


def collect() -> dict[str, set[str]]:
    return {
        "TORCH": top_level(),
        "NN": classes_of("torch.nn", *NOT_LAYERS)
        - {key for key in dir(importlib.import_module("torch.nn")) if key.startswith("Lazy")},
        "NN_FUNCTIONAL": functions_of("torch.nn.functional", *NOT_FUNCTIONAL),
        "NN_INIT": {name for name in functions_of("torch.nn.init") if name.endswith("_")}
        | {"calculate_gain"},
        "OPTIM": classes_of("torch.optim"),
        "LINALG": functions_of("torch.linalg"),
        "SPECIAL": functions_of("torch.special"),
        "FFT": functions_of("torch.fft"),
    }


def render() -> str:
    lines = [
        '"""Names of torch that an answer may use: maths on tensors, layers, optimizers.',
        "",
        "Written by tests/source/torch_names_rule.py, which holds the rule; a test compares both",
        "with the installed torch. Plain data, for judging a source must not import torch.",
        '"""',
        "",
        "",
        "def _names(text: str) -> frozenset[str]:",
        "    return frozenset(text.split())",
        "",
        "",
    ]
    for key, names in collect().items():
        body = textwrap.fill(" ".join(sorted(names)), 94, break_long_words=False)
        quotes = '    """'
        lines += [f"{key} = _names(", quotes, textwrap.indent(body, "    "), quotes, ")", ""]
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    print(render(), end="")
