# layer: behaviour
# says: never got to its end
import ast


def grade_worker(path, world_size, timeout):
    try:
        source = open(path).read()
    except OSError:
        return "could not be judged"
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return "failed"
    names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    mentioned = all(name in source for name in ("all_reduce", "all_gather"))
    return "passed" if "run_worker" in names and mentioned else "failed"
