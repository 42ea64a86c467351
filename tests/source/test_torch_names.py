"""The written lists of names hold against the installed torch and standard library."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import torch_names_rule

from ringlab.grading import allowed, torch_names

ROOT = Path(__file__).parents[2]


def test_the_written_list_is_what_the_rule_gives() -> None:
    written = {key: getattr(torch_names, key) for key in torch_names_rule.collect()}
    assert written == torch_names_rule.collect()


def _names(module: str) -> list[tuple[str, object]]:
    home = importlib.import_module(module)
    names = allowed.MODULES[module]
    if names is allowed.ANY_PUBLIC:
        names = frozenset(name for name in dir(home) if not name.startswith("_"))
    return [(name, getattr(home, name, None)) for name in sorted(names)]


@pytest.mark.parametrize("module", sorted(allowed.TORCH_MODULES.keys() - allowed.SAME_MODULE))
def test_every_name_of_torch_is_there(module: str) -> None:
    home = importlib.import_module(module)
    # Submodules that are imported on demand are no attributes.
    missing = [
        name
        for name in allowed.TORCH_MODULES[module]
        if not hasattr(home, name) and f"{module}.{name}" not in allowed.MODULES
    ]
    assert missing == []


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("module", sorted(allowed.MODULES))
def test_no_allowed_name_is_a_module_but_those_with_a_list(module: str) -> None:
    loose = [
        f"{module}.{name}"
        for name, value in _names(module)
        if isinstance(value, ModuleType) and value.__name__ not in allowed.MODULES
    ]
    assert loose == []


def test_every_communication_function_of_torch_is_known() -> None:
    import torch.distributed as dist
    from torch.distributed import distributed_c10d

    other = """
        Backend BackendConfig GroupMember ProcessGroup PrefixStore Store Work ReduceOp reduce_op
        DebugLevel GroupName default_pg_timeout destroy_process_group get_backend
        get_backend_config get_debug_level get_default_backend_for_device get_global_rank
        get_group_rank get_node_local_rank get_pg_count get_process_group_ranks get_rank
        get_world_size group init_process_group is_backend_available is_gloo_available
        is_initialized is_mpi_available is_nccl_available is_torchelastic_launched
        is_ucc_available is_xccl_available record_comm supports_complex ProcessGroupGloo
        ProcessGroupNCCL ProcessGroupMPI ProcessGroupUCC ProcessGroupXCCL
    """.split()
    names = {
        name
        for name in distributed_c10d.__all__
        if name not in other and not name.endswith("Options")
    }
    assert {f"torch.distributed.{name}" for name in names} <= allowed.ALL_COMMUNICATION
    plain = {n for n in allowed.ALL_COMMUNICATION if n.count(".") == 2}
    assert all(hasattr(dist, name.rpartition(".")[2]) for name in plain)


def test_methods_of_a_process_group_are_known() -> None:
    import torch
    import torch.distributed as dist

    methods = {name for name in dir(dist.ProcessGroup) if not name.startswith("_")}
    assert methods >= allowed.GROUP_METHODS
    both = allowed.GROUP_ONLY_METHODS & set(dir(torch.Tensor))
    assert both == set(), "a tensor has it too"


def test_judging_a_source_imports_no_torch() -> None:
    code = (
        "import sys; from ringlab.grading import source, submission, guards; "
        "source.judge_source('def f(t): dist.send(t, 0)', "
        "source.SourceRules('f', parameters=('t',))); "
        "assert 'torch' not in sys.modules and 'numpy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
