"""What an answer may import and touch, as plain data.

A module object reaches everything else as an attribute (`torch.os`, `dist.sys`,
`dataclasses.sys`), so every module has a list of the names that may be taken from it. Names are
left out where they lead back to the interpreter: `operator.attrgetter` and `methodcaller` read any
attribute, `typing.get_type_hints` and `functools.singledispatch` evaluate strings,
`dataclasses.make_dataclass` and `functools.update_wrapper` run code on names from outside.
Names of torch: as of 2.13.0, in torch_names.py.
"""

from __future__ import annotations

import ast
import builtins

from ringlab.grading import torch_names


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ANY_PUBLIC = frozenset({"*"})

# Communication, by what it does. Full names in torch.distributed.


def _dist(text: str) -> frozenset[str]:
    return frozenset(f"torch.distributed.{name}" for name in text.split())


P2P = _dist("send recv isend irecv batch_isend_irecv P2POp")

ALL_REDUCE = _dist("all_reduce all_reduce_coalesced") | _dist(
    "nn.functional.all_reduce _functional_collectives.all_reduce "
    "_functional_collectives.all_reduce_coalesced ProcessGroup.allreduce "
    "ProcessGroup.allreduce_coalesced"
)
ALL_GATHER = _dist(
    "all_gather all_gather_single all_gather_into_tensor all_gather_coalesced _all_gather_base "
    "nn.functional.all_gather nn.functional._all_gather_base "
    "_functional_collectives.all_gather_single "
    "_functional_collectives.all_gather_single_autograd "
    "_functional_collectives.all_gather_single_coalesced "
    "_functional_collectives.all_gather_tensor "
    "_functional_collectives.all_gather_tensor_autograd "
    "_functional_collectives.all_gather_into_tensor_coalesced "
    "ProcessGroup.allgather ProcessGroup.all_gather_single ProcessGroup.allgather_coalesced "
    "ProcessGroup.allgather_into_tensor_coalesced"
)
REDUCE_SCATTER = _dist(
    "reduce_scatter reduce_scatter_single reduce_scatter_tensor _reduce_scatter_base "
    "nn.functional.reduce_scatter _functional_collectives.reduce_scatter_single "
    "_functional_collectives.reduce_scatter_single_autograd "
    "_functional_collectives.reduce_scatter_single_coalesced "
    "_functional_collectives.reduce_scatter_tensor "
    "_functional_collectives.reduce_scatter_tensor_autograd "
    "_functional_collectives.reduce_scatter_tensor_coalesced "
    "ProcessGroup.reduce_scatter ProcessGroup.reduce_scatter_single "
    "ProcessGroup.reduce_scatter_tensor_coalesced"
)
ALL_TO_ALL = _dist(
    "all_to_all all_to_all_single nn.functional.all_to_all nn.functional.all_to_all_single "
    "_functional_collectives.all_to_all_single "
    "_functional_collectives.all_to_all_single_autograd ProcessGroup.alltoall "
    "ProcessGroup.alltoall_base ProcessGroup.all_to_all_single"
)
OBJECTS = _dist(
    "all_gather_object broadcast_object_list gather_object scatter_object_list "
    "send_object_list recv_object_list"
)
COLLECTIVES = (
    ALL_REDUCE
    | ALL_GATHER
    | REDUCE_SCATTER
    | ALL_TO_ALL
    | OBJECTS
    | _dist(
        "broadcast reduce gather scatter barrier monitored_barrier _coalescing_manager "
        "nn.functional.broadcast nn.functional.reduce nn.functional.gather "
        "nn.functional.scatter _functional_collectives.broadcast "
        "_functional_collectives.permute_tensor ProcessGroup.broadcast ProcessGroup.reduce "
        "ProcessGroup.gather ProcessGroup.scatter ProcessGroup.barrier "
        "ProcessGroup.monitored_barrier ProcessGroup.send ProcessGroup.recv "
        "ProcessGroup.recv_anysource"
    )
)
GROUPS = _dist(
    "new_group new_subgroups new_subgroups_by_enumeration split_group shrink_group "
    "init_device_mesh DeviceMesh"
)
ALL_COMMUNICATION = P2P | COLLECTIVES | GROUPS

# Methods of a process group that no tensor, list or generator has: told by the name alone.
GROUP_ONLY_METHODS = _words(
    "allgather allgather_coalesced allgather_into_tensor_coalesced allreduce allreduce_coalesced "
    "alltoall alltoall_base all_gather_single all_gather_single_coalesced all_to_all_single "
    "monitored_barrier recv_anysource reduce_scatter reduce_scatter_single "
    "reduce_scatter_single_coalesced reduce_scatter_tensor_coalesced"
)
GROUP_METHODS = GROUP_ONLY_METHODS | _words(
    "barrier broadcast gather group_desc group_name name rank recv reduce scatter send size"
)


def _inside(prefix: str, names: frozenset[str]) -> frozenset[str]:
    start = prefix + "."
    return frozenset(
        name[len(start) :]
        for name in names
        if name.startswith(start) and "." not in name[len(start) :]
    )


# Object collectives unpickle what arrives, and a pickle runs code: no default policy has them.
_DISTRIBUTED = _inside("torch.distributed", ALL_COMMUNICATION - OBJECTS) | _words(
    """
    DistBackendError DistError DistNetworkError GradBucket GroupMember ProcessGroup
    ReduceOp Work default_pg_timeout device_mesh distributed_c10d get_backend
    get_global_rank get_group_rank get_node_local_rank get_process_group_ranks get_rank
    get_world_size group is_available is_backend_available is_gloo_available is_initialized
    is_mpi_available is_nccl_available nn reduce_op supports_complex _functional_collectives
    """
)

_FUNCTIONAL_COLLECTIVES = _inside(
    "torch.distributed._functional_collectives", ALL_COMMUNICATION
) | _words("AsyncCollectiveTensor wait_tensor")
_DIFFERENTIABLE = _inside("torch.distributed.nn.functional", ALL_COMMUNICATION)

_TYPING = _words(
    """
    AbstractSet Annotated Any AnyStr Awaitable BinaryIO ByteString Callable ClassVar
    Collection Concatenate Container ContextManager Coroutine Counter DefaultDict Deque Dict Final
    FrozenSet Generator Generic Hashable IO ItemsView Iterable Iterator KeysView List Literal
    LiteralString Mapping MappingView MutableMapping MutableSequence MutableSet NamedTuple Never
    NewType NoReturn NotRequired Optional OrderedDict ParamSpec ParamSpecArgs ParamSpecKwargs
    Pattern Protocol ReadOnly Required Reversible Self Sequence Set Sized SupportsAbs SupportsBytes
    SupportsComplex SupportsFloat SupportsIndex SupportsInt SupportsRound TYPE_CHECKING Text TextIO
    Tuple Type TypeAlias TypeAliasType TypeGuard TypeIs TypeVar TypeVarTuple TypedDict Union Unpack
    ValuesView assert_never assert_type cast final get_args is_typeddict overload
    override reveal_type runtime_checkable
    """
)

_AST = frozenset(
    name
    for name in dir(ast)
    if isinstance(value := getattr(ast, name), type) and issubclass(value, ast.AST)
) | _words(
    """
    NodeTransformer NodeVisitor copy_location dump fix_missing_locations get_docstring
    get_source_segment increment_lineno iter_child_nodes literal_eval parse unparse walk
    """
)

_COLLECTIONS_ABC = _words(
    """
    AsyncIterable AsyncIterator Awaitable Buffer ByteString Callable Collection Container
    Coroutine Generator Hashable ItemsView Iterable Iterator KeysView Mapping MappingView
    MutableMapping MutableSequence MutableSet Reversible Sequence Set Sized ValuesView
    """
)

_OPERATOR = _words(
    """
    abs add and_ concat contains countOf delitem eq floordiv ge getitem gt iadd iand iconcat
    ifloordiv ilshift imatmul imod imul index indexOf inv invert ior ipow irshift is_ is_not isub
    itemgetter itruediv ixor le length_hint lshift lt matmul mod mul ne neg not_ or_ pos pow rshift
    setitem sub truediv truth xor
    """
)

PURE_MODULES: dict[str, frozenset[str]] = {
    "__future__": ANY_PUBLIC,
    "abc": _words("ABC ABCMeta abstractmethod abstractproperty"),
    "ast": _AST,
    "bisect": _words("bisect bisect_left bisect_right insort insort_left insort_right"),
    "collections": _words(
        "Counter OrderedDict UserDict UserList UserString abc defaultdict deque namedtuple"
    ),
    "collections.abc": _COLLECTIONS_ABC,
    "contextlib": _words(
        "AbstractContextManager ContextDecorator ExitStack closing contextmanager nullcontext "
        "suppress"
    ),
    "copy": _words("copy deepcopy"),
    "dataclasses": _words(
        "FrozenInstanceError InitVar KW_ONLY MISSING asdict astuple dataclass field fields "
        "is_dataclass replace"
    ),
    "datetime": _words("timedelta"),
    "enum": _words(
        "Enum Flag IntEnum IntFlag StrEnum auto nonmember member unique verify CONTINUOUS "
        "NAMED_FLAGS UNIQUE"
    ),
    "fractions": _words("Fraction"),
    "functools": _words(
        "cache cached_property cmp_to_key lru_cache partial partialmethod reduce total_ordering "
        "wraps"
    ),
    "heapq": _words("heapify heappop heappush heappushpop heapreplace merge nlargest nsmallest"),
    "itertools": ANY_PUBLIC,
    "math": ANY_PUBLIC,
    "numbers": _words("Complex Integral Number Rational Real"),
    "operator": _OPERATOR,
    "types": _words("MappingProxyType NoneType SimpleNamespace TracebackType"),
    "typing": _TYPING,
    "typing_extensions": _TYPING,
    "warnings": _words("catch_warnings filterwarnings resetwarnings simplefilter warn"),
}

TORCH_MODULES: dict[str, frozenset[str]] = {
    "torch": torch_names.TORCH
    | _words(
        "__version__ _utils amp autograd cuda distributed fft func futures linalg nn optim "
        "profiler random return_types special testing types utils"
    ),
    "torch._utils": _words("_flatten_dense_tensors _take_tensors _unflatten_dense_tensors"),
    "torch.amp": _words("autocast custom_bwd custom_fwd"),
    "torch.autograd": _words(
        "Function Variable backward enable_grad function functional grad grad_mode graph "
        "inference_mode no_grad profiler set_grad_enabled"
    ),
    "torch.autograd.function": _words("Function FunctionCtx once_differentiable"),
    "torch.autograd.functional": _words("hessian hvp jacobian jvp vhp vjp"),
    "torch.autograd.grad_mode": _words("enable_grad inference_mode no_grad set_grad_enabled"),
    "torch.autograd.graph": _words(
        "GradientEdge Node get_gradient_edge increment_version register_multi_grad_hook "
        "saved_tensors_hooks"
    ),
    "torch.autograd.profiler": _words("record_function"),
    "torch.cuda": _words(
        "Event Stream current_device current_stream default_stream device device_count empty_cache "
        "is_available max_memory_allocated memory_allocated reset_peak_memory_stats set_device "
        "stream synchronize"
    ),
    "torch.distributed": _DISTRIBUTED,
    "torch.distributed.device_mesh": _words("DeviceMesh init_device_mesh"),
    "torch.distributed.distributed_c10d": _DISTRIBUTED
    - _words("distributed_c10d device_mesh nn _functional_collectives init_device_mesh DeviceMesh"),
    "torch.distributed.nn": _DIFFERENTIABLE | {"functional"},
    "torch.distributed.nn.functional": _DIFFERENTIABLE,
    "torch.distributed._functional_collectives": _FUNCTIONAL_COLLECTIVES,
    "torch.fft": torch_names.FFT,
    "torch.func": _words("functional_call grad grad_and_value hessian jacfwd jacrev jvp vjp vmap"),
    "torch.futures": _words("Future collect_all wait_all"),
    "torch.linalg": torch_names.LINALG,
    "torch.nn": torch_names.NN
    | _words("Module Parameter Buffer functional init modules parameter utils"),
    "torch.nn.functional": torch_names.NN_FUNCTIONAL,
    "torch.nn.init": torch_names.NN_INIT,
    "torch.nn.modules": torch_names.NN | _words("Module module linear"),
    "torch.nn.modules.linear": _words("Bilinear Identity Linear"),
    "torch.nn.modules.module": _words("Module"),
    "torch.nn.parameter": _words("Buffer Parameter UninitializedParameter"),
    "torch.nn.utils": _words(
        "clip_grad_norm_ clip_grad_value_ clip_grads_with_norm_ convert_parameters get_total_norm "
        "parameters_to_vector vector_to_parameters"
    ),
    "torch.nn.utils.convert_parameters": _words("parameters_to_vector vector_to_parameters"),
    "torch.optim": torch_names.OPTIM | _words("Optimizer optimizer"),
    "torch.optim.optimizer": _words("Optimizer ParamsT"),
    "torch.profiler": _words("record_function"),
    "torch.random": _words("get_rng_state initial_seed manual_seed seed set_rng_state"),
    "torch.return_types": _words(
        "aminmax cummax cummin frexp kthvalue max median min mode qr sort svd topk"
    ),
    "torch.special": torch_names.SPECIAL,
    "torch.testing": _words("assert_close"),
    "torch.types": _words("Device Number"),
    "torch.utils": _words("hooks"),
    "torch.utils.hooks": _words("RemovableHandle"),
}

MODULES: dict[str, frozenset[str]] = PURE_MODULES | TORCH_MODULES

# The same object under a second address.
SAME_MODULE = {
    "torch.distributed.distributed_c10d": "torch.distributed",
    "torch.distributed.device_mesh": "torch.distributed",
    "torch.distributed.nn": "torch.distributed.nn.functional",
    "torch.nn.modules": "torch.nn",
    "torch.nn.modules.linear": "torch.nn",
    "torch.nn.modules.module": "torch.nn",
    "torch.nn.parameter": "torch.nn",
    "torch.autograd.function": "torch.autograd",
    "torch.optim.optimizer": "torch.optim",
    "typing_extensions": "typing",
}

PREDEFINED = {"torch": "torch", "dist": "torch.distributed", "Tensor": "torch.Tensor"}

# What importing a list like this says in messages.
IMPORTS_IN_WORDS = (
    "math, itertools, functools, collections, dataclasses, typing, operator, enum, contextlib, "
    "copy, heapq, bisect, fractions, abc, ast, warnings and torch"
)

# A notebook's kernel adds names of its own, which the ranks don't have.
BUILTINS = frozenset(dir(builtins)) - _words(
    "__build_class__ __IPYTHON__ display execfile get_ipython runfile _"
)

FORBIDDEN_BUILTINS = _words(
    "breakpoint compile copyright credits eval exec exit globals help input license locals open "
    "quit vars __import__ __loader__ __spec__ SystemExit"
)

MODULE_DUNDERS = _words("__name__ __doc__ __debug__ __class__ __qualname__")

# Dunders that an answer may define in its own classes.
DEFINABLE_DUNDERS = _words(
    """
    __abs__ __add__ __aenter__ __aexit__ __aiter__ __all__ __and__ __anext__ __author__ __await__
    __bool__ __bytes__ __call__ __ceil__ __class_getitem__ __complex__ __contains__ __copy__
    __deepcopy__ __delattr__ __delete__ __delitem__ __dir__ __divmod__ __doc__ __enter__
    __eq__ __exit__ __float__ __floor__ __floordiv__ __format__ __ge__ __get__ __getattr__
    __getitem__ __getnewargs__ __getstate__ __gt__ __hash__ __iadd__ __iand__ __ifloordiv__
    __ilshift__ __imatmul__ __imod__ __imul__ __index__ __init__ __init_subclass__ __int__
    __invert__ __ior__ __ipow__ __irshift__ __isub__ __iter__ __itruediv__ __ixor__ __le__ __len__
    __length_hint__ __lshift__ __lt__ __match_args__ __matmul__ __missing__ __mod__ __mul__ __ne__
    __neg__ __new__ __next__ __or__ __pos__ __post_init__ __pow__ __radd__ __rand__ __rdivmod__
    __repr__ __reversed__ __rfloordiv__ __rlshift__ __rmatmul__ __rmod__ __rmul__ __ror__ __round__
    __rpow__ __rrshift__ __rshift__ __rsub__ __rtruediv__ __rxor__ __set__ __set_name__ __setattr__
    __setitem__ __setstate__ __slots__ __str__ __sub__ __truediv__ __trunc__ __version__ __xor__
    """
)

# Dunders that may be read or called by name on any object. Not among them, though definable: those
# that hand out an object's table of attributes (`object.__getstate__(type)`) or go through it
# (`cached_property.__get__`).
READABLE_DUNDERS = (
    DEFINABLE_DUNDERS
    - _words(
        "__getattr__ __setattr__ __delattr__ __slots__ __match_args__ __class_getitem__ __get__ "
        "__set__ __delete__ __set_name__ __getstate__ __setstate__ __getnewargs__ "
        "__init_subclass__"
    )
) | _words("__name__ __qualname__ __module__ __version__")

# Dunders that may be asked of `super()` too, when called at once with this many arguments: with
# one more, `super()` in a class method would hand them somebody else's object.
SUPER_CALLS = {
    "__getattr__": 1,
    "__setattr__": 2,
    "__delattr__": 1,
    "__getstate__": 0,
    "__setstate__": 1,
    "__class_getitem__": 1,
    "__init_subclass__": 0,
    "__set_name__": 2,
}

# Public attributes that lead out of the sandbox, whatever the object is.
FORBIDDEN_ATTRIBUTES = _words(
    """
    os sys builtins ctypes importlib subprocess
    gi_frame gi_code gi_yieldfrom cr_frame cr_code cr_origin cr_await ag_frame ag_code ag_await
    tb_frame tb_next tb_lasti f_back f_builtins f_code f_globals f_lineno f_locals f_trace
    co_code co_consts co_names func_code func_globals mro
    data_ptr const_data_ptr untyped_storage storage storage_type share_memory_ share_memory
    compile from_file as_subclass numpy dump dumps custom_device_mod register_backend
    fget fset fdel obj
    tofile get_group_store merge_remote_group use_pg_for_symm_mem_rendezvous bound_device_id
    """
)

# Private names of the standard library and torch that do harm; a class of the cell may not
# borrow them to get at the real ones.
FORBIDDEN_PRIVATE = _words(
    """
    _abc_impl _all_weights _call_impl _cdata _compiled_call_impl _convert_ _create_
    _create_cb_wrapper
    _create_exit_wrapper _dtensor__new__ _dump_registry _end_coalescing _evaluate _execution_engine
    _exit_callbacks _fix_weakref _flat_weights_names _get_abs_string_index _get_backend
    _get_mixins_ _init_flat_weights _key_to_attr _init_one_process_group
    _init_process_groups _make_subclass _make_wrapper_subclass _optimizer_step_code
    _patch_step_function _push_cm_exit _push_exit_callback _pybind11_conduit_v1_ _python_dispatch
    _reduce_ex_internal _register_backend _register_hook_dict _register_on_completion_hook
    _replicate_for_data_parallel _rev_view_func_unsafe _set_default_backend
    _setup_world_group_and_device _slow_forward _start_coalescing _typed_storage _use_count
    _update_flat_weights _view_func _view_func_unsafe _weights_have_changed _wrapped_call_impl
    """
)

# Private names that people rightly use on objects they did not write.
COMMON_PRIVATE = _words(
    """
    _ _asdict _base _buffers _fields _field_defaults _forward_hooks _forward_pre_hooks
    _generate_next_value_ _grad _ignore_ _is_view _make _member_map_ _member_names_ _missing_
    _modules _name_ _non_persistent_buffers_set _nnz _numerator _denominator _order_ _parameters
    _replace _value2member_map_ _value_ _version
    """
)

# DistributedDataParallel itself hooks the end of backward this way.
ENGINE = "torch.autograd.Variable._execution_engine"
ENGINE_CALLBACK = ENGINE + ".queue_callback"

# Forbidden attributes that a class of the cell may have under the same name.
HARMLESS_IF_OWN = _words("compile dump dumps storage")


ENUM_CLASSES = _words("enum.Enum enum.Flag enum.IntEnum enum.IntFlag enum.StrEnum")


def canonical(path: str) -> str:
    """One address for one object: `torch.distributed.distributed_c10d.send` is `...send`."""
    head, _, name = path.rpartition(".")
    if path in MODULES or not head:
        return path
    return f"{SAME_MODULE.get(head, head)}.{name}"


def is_module(path: str) -> bool:
    return path in MODULES


def may_take(module: str, name: str) -> bool:
    names = MODULES[module]
    if names is ANY_PUBLIC:
        return not name.startswith("_")
    return name in names
