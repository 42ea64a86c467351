import ast
from dataclasses import dataclass, field

COMMUNICATION = {
    "torch.distributed." + name
    for name in (
        "send recv isend irecv batch_isend_irecv broadcast reduce all_reduce scatter gather "
        "all_gather all_gather_single all_gather_into_tensor reduce_scatter reduce_scatter_single "
        "reduce_scatter_tensor all_to_all all_to_all_single barrier"
    ).split()
}


@dataclass
class Frame:
    outer: "Frame | None" = None
    names: dict = field(default_factory=dict)

    def find(self, name):
        frame = self
        while frame is not None:
            if name in frame.names:
                return frame.names[name]
            frame = frame.outer
        return ("path", "builtins." + name)


@dataclass(frozen=True, eq=False)
class Closure:
    node: ast.AST
    frame: Frame


UNKNOWN = ("unknown",)


class Walker(ast.NodeVisitor):
    def __init__(self):
        self.frame = self.top = Frame()
        self.found = []
        self.patched = {}
        self.seen = set()

    # blocks

    def run(self, body):
        for statement in body:
            self.visit(statement)
            if isinstance(statement, (ast.Return, ast.Raise, ast.Continue, ast.Break)):
                return

    def generic_visit(self, node):
        for name in node._fields:
            part = getattr(node, name, None)
            if isinstance(part, list) and part and isinstance(part[0], ast.stmt):
                self.run(part)
            elif isinstance(part, list):
                for each in part:
                    if isinstance(each, ast.AST):
                        self.visit(each)
            elif isinstance(part, ast.AST):
                self.visit(part)
        return UNKNOWN

    def decided(self, test):
        if isinstance(test, ast.Constant):
            return bool(test.value)
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = self.decided(test.operand)
            return inner if inner is None else not inner
        return None

    def visit_If(self, node):
        self.visit(node.test)
        decision = self.decided(node.test)
        for body, wanted in ((node.body, True), (node.orelse, False)):
            if decision in (None, wanted):
                self.run(body) if isinstance(body, list) else self.visit(body)
        return UNKNOWN

    visit_While = visit_IfExp = visit_If

    def visit_For(self, node):
        self.visit(node.iter)
        nothing = isinstance(node.iter, (ast.List, ast.Tuple)) and not node.iter.elts
        if not nothing:
            self.run(node.body)
        self.run(node.orelse)

    def visit_BoolOp(self, node):
        stops = isinstance(node.op, ast.Or)
        for value in node.values:
            self.visit(value)
            if self.decided(value) is stops:
                break
        return UNKNOWN

    # definitions

    def visit_Import(self, node):
        for alias in node.names:
            if alias.asname:
                self.frame.names[alias.asname] = ("path", alias.name)
            else:
                root = alias.name.split(".")[0]
                self.frame.names[root] = ("path", root)

    def visit_ImportFrom(self, node):
        for alias in node.names:
            path = f"{node.module}.{alias.name}"
            self.frame.names[alias.asname or alias.name] = ("path", path)

    def visit_FunctionDef(self, node):
        self.frame.names[node.name] = Closure(node, self.frame)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node):
        return Closure(node, self.frame)

    def visit_ClassDef(self, node):
        outer, inner = self.frame, Frame(self.frame)
        self.frame = inner
        self.run(node.body)
        self.frame = outer
        outer.names[node.name] = inner

    def visit_Assign(self, node):
        self.store(node.targets, self.visit(node.value))

    def visit_AnnAssign(self, node):
        if node.value is not None:
            self.store([node.target], self.visit(node.value))

    def store(self, targets, value):
        for target in targets:
            if isinstance(target, ast.Name):
                self.frame.names[target.id] = value
            elif isinstance(target, ast.Attribute):
                owner = self.visit(target.value)
                if owner[:1] == ("path",):
                    self.patched[owner[1], target.attr] = value

    # expressions

    def visit_Name(self, node):
        return self.frame.find(node.id)

    def visit_Attribute(self, node):
        return self.member(self.visit(node.value), node.attr)

    def member(self, owner, name):
        if isinstance(owner, Frame):
            return owner.names.get(name, UNKNOWN)
        if isinstance(owner, tuple) and owner[0] == "path":
            return self.patched.get((owner[1], name), ("path", f"{owner[1]}.{name}"))
        return UNKNOWN

    def visit_Call(self, node):
        target = self.visit(node.func)
        values = [self.visit(each) for each in node.args]
        for each in node.keywords:
            self.visit(each.value)
        if target == ("path", "builtins.getattr") and isinstance(node.args[1], ast.Constant):
            return self.member(values[0], node.args[1].value)
        if target == ("path", "functools.partial"):
            return values[0]
        if isinstance(target, Closure):
            self.go_into(target)
        elif isinstance(target, Frame):
            self.go_into_all(target)
        elif target[0] == "path":
            self.found.append(target[1])
        return UNKNOWN

    def go_into(self, closure):
        if closure.node in self.seen:
            return
        self.seen.add(closure.node)
        before, self.frame = self.frame, Frame(closure.frame)
        arguments = closure.node.args
        for each in ast.walk(arguments):
            if isinstance(each, ast.arg):
                self.frame.names[each.arg] = UNKNOWN
        body = closure.node.body
        self.run(body) if isinstance(body, list) else self.visit(body)
        self.frame = before

    def go_into_all(self, frame):
        for value in tuple(frame.names.values()):
            if isinstance(value, Closure):
                self.go_into(value)
            elif isinstance(value, Frame):
                self.go_into_all(value)


def called_collectives(source):
    walker = Walker()
    walker.run(ast.parse(source).body)
    walker.go_into_all(walker.top)
    return frozenset(walker.found) & COMMUNICATION
