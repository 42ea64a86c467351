import ast

NAMES = (
    "send recv isend irecv batch_isend_irecv broadcast reduce all_reduce scatter gather "
    "all_gather all_gather_single all_gather_into_tensor reduce_scatter reduce_scatter_single "
    "reduce_scatter_tensor all_to_all all_to_all_single barrier"
)
COMMUNICATION = frozenset(f"torch.distributed.{name}" for name in NAMES.split())
ENDS = (ast.Return, ast.Raise, ast.Break, ast.Continue)


def decided(test):
    match test:
        case ast.Constant(value=value):
            return bool(value)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            known = decided(operand)
            return None if known is None else not known


class Prune(ast.NodeTransformer):
    """Cuts off what is dead on the face of it, so that the second pass need not think of it."""

    def visit(self, node):
        node = super().visit(node)
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                ends = [i for i, each in enumerate(block) if isinstance(each, ENDS)]
                if ends:
                    setattr(node, name, block[: ends[0] + 1])
        return node

    def visit_If(self, node):
        self.generic_visit(node)
        known = decided(node.test)
        if known is None:
            return node
        return (node.body if known else node.orelse) or ast.Pass()

    def visit_While(self, node):
        self.generic_visit(node)
        return node if decided(node.test) is not False else (node.orelse or ast.Pass())

    def visit_IfExp(self, node):
        self.generic_visit(node)
        known = decided(node.test)
        return node if known is None else (node.body if known else node.orelse)

    def visit_BoolOp(self, node):
        self.generic_visit(node)
        stops = isinstance(node.op, ast.Or)
        for i, value in enumerate(node.values):
            if decided(value) is stops:
                node.values = node.values[: i + 1]
                break
        return node

    def visit_For(self, node):
        self.generic_visit(node)
        match node.iter:
            case ast.List(elts=[]) | ast.Tuple(elts=[]):
                return node.orelse or ast.Pass()
        return node

    def visit_AnnAssign(self, node):
        self.generic_visit(node)
        if node.value is None:
            return ast.Pass()
        return ast.Assign(targets=[node.target], value=node.value)


def dotted(node):
    """`a.b.c` as ["a", "b", "c"], else None."""
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Attribute):
        inner = dotted(node.value)
        return inner and [*inner, node.attr]
    return None


def resolve(node, chain, patched):
    """A dotted path, a node of a function or class with its chain, or None."""
    if isinstance(node, ast.Lambda):
        return node, chain
    if isinstance(node, ast.Call):
        what = resolve(node.func, chain, patched)
        if what == "getattr" and isinstance(node.args[1], ast.Constant):
            return member(resolve(node.args[0], chain, patched), node.args[1].value, patched)
        return resolve(node.args[0], chain, patched) if what == "functools.partial" else None
    parts = dotted(node)
    if not parts:
        return None
    value = parts[0]
    for names in chain:
        if parts[0] in names:
            value = names[parts[0]]
            break
    for name in parts[1:]:
        value = member(value, name, patched)
    return value


def member(owner, name, patched):
    if isinstance(owner, dict):
        return owner.get(name)
    path = f"{owner}.{name}" if isinstance(owner, str) else None
    return patched.get(path, path)


def expressions(statement):
    """The expressions of a statement that are evaluated where it stands, calls before their use."""
    found, waiting = [], [statement]
    while waiting:
        node = waiting.pop(0)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.stmt, ast.Lambda, ast.ExceptHandler, ast.arguments)):
                continue
            if isinstance(child, ast.expr):
                found.append(child)
            waiting.append(child)
    return found


def read(block, chain, patched, calls, seen):
    here = chain[0]
    for node in block:
        if isinstance(node, ast.FunctionDef):
            here[node.name] = (node, chain)
            continue
        if isinstance(node, ast.ClassDef):
            here[node.name] = names = {}
            read(node.body, [names, *chain], patched, calls, seen)
            continue
        if isinstance(node, ast.Import):
            for each in node.names:
                root = each.name.split(".")[0]
                here[each.asname or root] = each.name if each.asname else root
        if isinstance(node, ast.ImportFrom):
            for each in node.names:
                here[each.asname or each.name] = f"{node.module}.{each.name}"
        for each in expressions(node):
            if isinstance(each, ast.Call):
                called = resolve(each.func, chain, patched)
                if isinstance(called, str):
                    calls.add(called)
                else:
                    enter(called, patched, calls, seen)
        if isinstance(node, ast.Assign):
            value = resolve(node.value, chain, patched)
            for target in node.targets:
                if isinstance(target, ast.Name):
                    here[target.id] = value
                elif isinstance(target, ast.Attribute):
                    owner = resolve(target.value, chain, patched)
                    patched[f"{owner}.{target.attr}"] = value
        for name in ("body", "handlers", "orelse", "finalbody"):
            inner = getattr(node, name, [])
            for part in inner if isinstance(inner, list) else []:
                handler = isinstance(part, ast.ExceptHandler)
                read(part.body if handler else [part], chain, patched, calls, seen)


def enter(what, patched, calls, seen):
    if isinstance(what, dict):
        for each in list(what.values()):
            enter(each, patched, calls, seen)
    elif isinstance(what, tuple) and what[0] not in seen:
        node, chain = what
        seen.add(node)
        own = {each.arg: None for each in ast.walk(node.args) if isinstance(each, ast.arg)}
        body = node.body if isinstance(node.body, list) else [ast.Expr(value=node.body)]
        read(body, [own, *chain], patched, calls, seen)


def called_collectives(source):
    tree = Prune().visit(ast.parse(source))
    names, calls, patched, seen = {}, set(), {}, set()
    read(tree.body, [names], patched, calls, seen)
    enter(names, patched, calls, seen)
    return calls & COMMUNICATION
