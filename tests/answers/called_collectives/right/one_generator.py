import ast
import itertools

PREFIX = "torch.distributed."
COMMUNICATION = set(
    map(
        PREFIX.__add__,
        "send recv isend irecv batch_isend_irecv broadcast reduce all_reduce scatter gather "
        "all_gather all_gather_single all_gather_into_tensor reduce_scatter reduce_scatter_single "
        "reduce_scatter_tensor all_to_all all_to_all_single barrier".split(),
    )
)


class Meaning:
    """What a name stands for: a path, a body with its scopes, members; nothing of it if unknown."""

    def __init__(self, path=None, body=None, parameters=(), scopes=(), members=None):
        self.path, self.body, self.parameters = path, body, parameters
        self.scopes, self.members = scopes, members

    def __getitem__(self, name):
        if self.members is not None:
            return self.members.get(name, Meaning())
        return Meaning(f"{self.path}.{name}") if self.path else Meaning()


def parameters(node):
    every = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
    return [each.arg for each in every + [node.args.vararg, node.args.kwarg] if each]


def known(test):
    if isinstance(test, ast.Constant):
        return [bool(test.value)]
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return [not each for each in known(test.operand)]
    return []


class Program:
    def __init__(self, source):
        self.names, self.entered, self.swapped = {}, [], {}
        self.tree = ast.parse(source)

    def calls(self):
        yield from self.block(self.tree.body, (self.names,))
        yield from self.every(Meaning(members=self.names))

    def every(self, meaning):
        if meaning.members is not None:
            for each in list(meaning.members.values()):
                yield from self.every(each)
        elif meaning.body is not None:
            yield from self.into(meaning)

    def into(self, meaning):
        if any(meaning.body is each for each in self.entered):
            return
        self.entered.append(meaning.body)
        own = {name: Meaning() for name in meaning.parameters}
        yield from self.block(meaning.body, (own, *meaning.scopes))

    def block(self, body, scopes):
        for node in body:
            yield from self.node(node, scopes)
            if isinstance(node, (ast.Return, ast.Raise, ast.Break, ast.Continue)):
                break

    def node(self, node, scopes):
        here = scopes[0]
        if isinstance(node, ast.FunctionDef):
            here[node.name] = Meaning(
                body=node.body, parameters=parameters(node), scopes=scopes
            )
        elif isinstance(node, ast.Lambda):
            pass
        elif isinstance(node, ast.ClassDef):
            members = {}
            here[node.name] = Meaning(members=members)
            yield from self.block(node.body, (members, *scopes))
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            before = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            for each in node.names:
                short = each.name if before else each.name.split(".")[0]
                path = each.name if each.asname else short
                here[each.asname or short] = Meaning(before + path)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            if node.value is not None:
                yield from self.node(node.value, scopes)
                value = self.meaning(node.value, scopes)
                for target in getattr(node, "targets", None) or [node.target]:
                    if isinstance(target, ast.Name):
                        here[target.id] = value
                    elif isinstance(target, ast.Attribute):
                        path = self.meaning(target.value, scopes)[target.attr].path
                        self.swapped[path] = value
        elif isinstance(node, (ast.If, ast.While, ast.IfExp)):
            yield from self.node(node.test, scopes)
            for way, condition in ((node.body, True), (node.orelse, False)):
                if known(node.test) in ([], [condition]):
                    yield from self.block(way if isinstance(way, list) else [way], scopes)
        elif isinstance(node, ast.BoolOp):
            for each in node.values:
                yield from self.node(each, scopes)
                if known(each) == [isinstance(node.op, ast.Or)]:
                    break
        elif isinstance(node, ast.For) and ast.dump(node.iter) in (
            ast.dump(ast.parse("[]").body[0].value),
            ast.dump(ast.parse("()").body[0].value),
        ):
            yield from self.block(node.orelse, scopes)
        else:
            if isinstance(node, ast.Call):
                called = self.meaning(node.func, scopes)
                if called.path:
                    yield called.path
                yield from self.every(called)
            blocks = [getattr(node, name, []) for name in ("body", "orelse", "finalbody")]
            blocks = [each for each in blocks if isinstance(each, list)]
            inside = list(itertools.chain.from_iterable(blocks))
            for child in ast.iter_child_nodes(node):
                if not any(child is each for each in inside):
                    yield from self.node(child, scopes)
            for each in blocks:
                yield from self.block(each, scopes)

    def meaning(self, node, scopes):
        if isinstance(node, ast.Name):
            for scope in scopes:
                if node.id in scope:
                    return scope[node.id]
            return Meaning("builtins." + node.id)
        if isinstance(node, ast.Attribute):
            found = self.meaning(node.value, scopes)[node.attr]
            return self.swapped.get(found.path, found) if found.path else found
        if isinstance(node, ast.Lambda):
            return Meaning(body=[node.body], parameters=parameters(node), scopes=scopes)
        if isinstance(node, ast.Call):
            path = self.meaning(node.func, scopes).path
            if path == "functools.partial":
                return self.meaning(node.args[0], scopes)
            if path == "builtins.getattr" and isinstance(node.args[1], ast.Constant):
                owner = self.meaning(node.args[0], scopes)
                return owner[node.args[1].value]
        return Meaning()


def called_collectives(source: str) -> set[str]:
    return {name for name in Program(source).calls() if name in COMMUNICATION}
