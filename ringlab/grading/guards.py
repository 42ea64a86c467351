"""The builtins that an answer runs with.

The source policy lets honest code compute the name of an attribute (`getattr(self, field.name)`),
which no reading of the source can follow. So the ranks run an answer with these builtins, in which
`getattr` and its like refuse at run time what the policy refuses when it is written out, `type`
makes no classes, and what the policy forbids is not there at all. Code of torch and of the standard
library keeps its own builtins.
"""

from __future__ import annotations

import builtins
from functools import partial
from types import ModuleType
from typing import Any, Type, Union  # noqa: UP035

from ringlab.grading import allowed
from ringlab.grading.policy import DEFAULT_POLICY, Policy
from ringlab.words import source as words

# `then` is read where it is written out, so that a callback that communicates is refused; by a
# computed name nobody can tell what it runs, on a thread that the recorder does not see.
_REFUSED = allowed.FORBIDDEN_ATTRIBUTES | allowed.FORBIDDEN_PRIVATE | {"then", "add_done_callback"}
_MISSING = object()


def clean_builtins(policy: Policy = DEFAULT_POLICY) -> dict[str, Any]:
    """A fresh table for `__builtins__` in the namespace in which an answer is run.

    policy: that of the exercise; what it lets through is there.
    """
    table = {
        name: value
        for name, value in vars(builtins).items()
        if name in allowed.BUILTINS - allowed.FORBIDDEN_BUILTINS | policy.builtins
    }
    # `class` and `import` statements need these two, which no source can name.
    table["__build_class__"] = builtins.__build_class__
    table["__import__"] = partial(_guarded_import, policy)
    table |= {"getattr": _getattr, "setattr": _setattr, "delattr": _delattr, "type": _Type}
    return table


def _guarded_import(
    policy: Policy,
    name: str,
    globals: Any = None,
    locals: Any = None,
    fromlist: Any = (),
    level: int = 0,
) -> ModuleType:
    # C code in torch and numpy imports by the builtins of the frame it is called from, with a list;
    # an import statement passes a tuple or None.
    from_c = isinstance(fromlist, list)
    if not from_c and (level or not policy.is_module(name)):
        raise ImportError(
            words.IMPORT_REFUSED.format(module=name, allowed=allowed.IMPORTS_IN_WORDS)
        )
    return builtins.__import__(name, globals, locals, fromlist, level)


def _check(owner: object, name: object, store: bool) -> None:
    if type(name) is not str:
        raise TypeError(words.NAME_IS_NO_TEXT)
    if isinstance(owner, ModuleType) and (store or not _may_take(owner, name)):
        raise AttributeError(words.OUT_OF_BOUNDS.format(path=f"{owner.__name__}.{name}"))
    dunder = name.startswith("__") and name.endswith("__")
    if (dunder and name not in allowed.READABLE_DUNDERS) or name in _REFUSED:
        raise AttributeError(words.INTERNAL.format(name=name))
    if store and isinstance(owner, type) and _is_foreign(owner):
        raise AttributeError(words.ASSIGNED_INTO.format(path=f"{owner.__name__}.{name}"))


def _may_take(module: ModuleType, name: str) -> bool:
    return allowed.is_module(module.__name__) and allowed.may_take(module.__name__, name)


def _is_foreign(owner: type) -> bool:
    """A class of torch or the standard library, which every other user in the process shares."""
    return owner.__module__.partition(".")[0] in ("torch", "builtins") or (
        owner.__module__ in allowed.PURE_MODULES
    )


def _getattr(owner: object, name: str, default: Any = _MISSING) -> Any:
    _check(owner, name, store=False)
    if default is _MISSING:
        return getattr(owner, name)
    return getattr(owner, name, default)


def _setattr(owner: object, name: str, value: Any) -> None:
    _check(owner, name, store=True)
    setattr(owner, name, value)


def _delattr(owner: object, name: str) -> None:
    _check(owner, name, store=True)
    delattr(owner, name)


class _TypeOfType(type):
    """`isinstance(x, type)`, `type(x) is C` and `type[int]` work as ever."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, type)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return subclass is cls or issubclass(subclass, type)

    def __call__(cls, *args: Any, **named: Any) -> Any:
        if len(args) != 1 or named:
            raise TypeError(words.TYPE_MAKES_CLASS)
        found = type(args[0])
        if found.__module__.partition(".")[0] == "numpy":
            raise TypeError(words.NUMPY)
        # The class of a class would make classes too.
        return _Type if issubclass(found, type) else found

    def __getitem__(cls, item: Any) -> Any:
        # Unlike `type[item]`, this can't be called.
        return Type[item]  # noqa: UP006

    def __or__(cls, other: Any) -> Any:
        return Union[cls, other]  # noqa: UP007


class _Type(metaclass=_TypeOfType):
    """Stands in for the builtin `type`."""


_Type.__name__ = _Type.__qualname__ = "type"
