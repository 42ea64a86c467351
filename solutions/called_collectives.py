import ast

NAMES = """
    send recv isend irecv batch_isend_irecv broadcast reduce all_reduce scatter gather all_gather
    all_gather_single all_gather_into_tensor reduce_scatter reduce_scatter_single
    reduce_scatter_tensor all_to_all all_to_all_single barrier
"""
COMMUNICATION = frozenset(f"torch.distributed.{name}" for name in NAMES.split())


def called_collectives(source: str) -> set[str]:
    """Say which communication functions of torch.distributed a source really calls.

    Every function at the top level, and every method of a class there, is taken as called, after
    the whole source has run. A nested function or lambda counts where it is called.

    A call counts under whatever name: through `import torch.distributed as d`, `from
    torch.distributed import send as s`, `torch.distributed.send`, wherever the import stands; a
    name that was bound to the function or the module (`s = d.send`); `getattr(d, "send")`;
    `functools.partial(d.send, ...)`, which calls only when it is called.

    What never runs does not count: what follows `return`, `raise`, `break` or `continue` in its
    block; the way that a condition shuts which is a constant, or `not` a constant (`if`, `while`,
    `a if b else c`, `and`, `or`); the body of a `for` over `[]` or `()`; a function that is only
    defined, mentioned or replaced by another of its name; an annotation.

    What is called must be torch's: a parameter, a local name, a class or an object of the same
    name is not, nor is `dist.send` after `dist = other()` or `dist.send = other`.

    Args:
        source: a Python program that can be parsed. It must not be run.

    Returns:
        Full names, such as {"torch.distributed.send"}, out of COMMUNICATION.
    """

    ### BEGIN SOLUTION
    class Reader:
        """Follows what names stand for, statement by statement, and notes what is called.

        A name stands for a dotted path ("torch.distributed"), for a function of the source and the
        scopes that it was defined in, for a class as the names in it, or for something unknown.
        Scopes are dicts, the innermost last.
        """

        def __init__(self):
            self.called = set()
            self.replaced = {}  # paths that the source puts something else in the place of
            self.entered = set()

        def look(self, node, scopes):
            """Note the calls in a node, its parts or a list of them; what an expression is."""
            match node:
                case list():
                    for each in node:
                        self.look(each, scopes)
                        if isinstance(each, ast.Return | ast.Raise | ast.Break | ast.Continue):
                            break  # what follows in this block never runs
                case ast.FunctionDef():
                    scopes[-1][node.name] = (node, scopes)
                case ast.Lambda():
                    return (node, scopes)
                case ast.ClassDef():
                    scopes[-1][node.name] = inside = {}
                    self.look(node.body, [*scopes, inside])
                case ast.Import():
                    for each in node.names:
                        first = each.name.partition(".")[
                            0
                        ]  # `import torch.distributed` binds torch
                        scopes[-1][each.asname or first] = each.name if each.asname else first
                case ast.ImportFrom():
                    for each in node.names:
                        scopes[-1][each.asname or each.name] = f"{node.module}.{each.name}"
                case ast.Assign() | ast.AnnAssign():  # the annotation is left out: it may never run
                    value = self.look(node.value, scopes)
                    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                        self.bind(target, value, scopes)
                case ast.If() | ast.While() | ast.IfExp():
                    self.look(node.test, scopes)
                    for way, is_dead in (node.body, False), (node.orelse, True):
                        if truth(node.test) is not is_dead:
                            self.look(way, scopes)
                case ast.BoolOp():
                    for each in node.values:
                        self.look(each, scopes)
                        if truth(each) is isinstance(node.op, ast.Or):
                            break  # the rest is never asked
                case ast.For(iter=ast.List(elts=[]) | ast.Tuple(elts=[])):
                    self.look(node.orelse, scopes)
                case ast.Name():
                    known = [scope[node.id] for scope in scopes if node.id in scope]
                    return known[-1] if known else f"builtins.{node.id}"
                case ast.Attribute():
                    return self.attribute(self.look(node.value, scopes), node.attr)
                case ast.Call():
                    return self.call(node, scopes)
                case ast.AST():
                    self.look([getattr(node, name) for name in node._fields], scopes)

        def bind(self, target, value, scopes):
            if isinstance(target, ast.Name):
                scopes[-1][target.id] = value
            elif isinstance(target, ast.Attribute):
                self.replaced[f"{self.look(target.value, scopes)}.{target.attr}"] = value

        def attribute(self, owner, name):
            if isinstance(owner, dict):
                return owner.get(name)
            path = f"{owner}.{name}" if isinstance(owner, str) else None
            return self.replaced.get(path, path)

        def call(self, node, scopes):
            function = self.look(node.func, scopes)
            given = [self.look(each, scopes) for each in node.args]
            self.look(node.keywords, scopes)
            if function == "builtins.getattr" and isinstance(node.args[1], ast.Constant):
                return self.attribute(given[0], node.args[1].value)
            if function == "functools.partial":
                return given[0]
            if isinstance(function, str):
                self.called.add(function)
            self.enter(function)

        def enter(self, function):
            """Look into a function of the source, once; into every method of a class."""
            if isinstance(function, dict):
                for method in list(function.values()):
                    self.enter(method)
            elif isinstance(function, tuple) and function[0] not in self.entered:
                node, scopes = function
                self.entered.add(node)
                # A parameter hides what has its name outside.
                parameters = {
                    each.arg: None for each in ast.walk(node.args) if isinstance(each, ast.arg)
                }
                self.look(node.body, [*scopes, parameters])

    def truth(test):
        """True or False where the source writes it out, else None."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            opposite = truth(test.operand)
            return None if opposite is None else not opposite
        return bool(test.value) if isinstance(test, ast.Constant) else None

    reader, module = Reader(), {}
    reader.look(ast.parse(source).body, [module])
    reader.enter(module)
    return reader.called & COMMUNICATION
    ### END SOLUTION
