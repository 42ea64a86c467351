"""What the source layer says to a learner: one sentence of what is wrong, one of what to do."""

# Reading the answer
EMPTY = "There is no code in this answer. Write `{signature}` in the exercise's cell."
TOO_LONG = (
    "The answer has {size} characters; {limit} are read at most. Keep only the code that the "
    "exercise asks for."
)
NULL_BYTE = (
    "The code contains a null byte, which Python can't read. Delete it and type the line anew."
)
BAD_CHARACTER = (
    "The code has a character that can't be written as UTF-8. Delete it and type the line anew."
)
TOO_DEEP = (
    "The code is nested too deeply to be read. Split the long expression into several lines with "
    "names."
)
TOO_TANGLED = "The code takes too long to follow. Write it with fewer names and helpers."
SYNTAX = "Python can't read line {line}: {reason}. The line is `{text}`."
SYNTAX_NO_TEXT = "Python can't read the code: {reason}."

# The function or class is there
MISSING = "`{name}` is not defined. Write `{signature}` in the exercise's cell."
NOT_AT_TOP = (
    "`{name}` is defined inside `{inside}`, where nobody can call it. Move it to the left margin."
)
ASSIGNED = "`{name}` is assigned a value. Write it as `{signature}`."
ASYNC = "`{name}` is an `async def`: calling it runs nothing. Write `{signature}`, without `async`."
GENERATOR = (
    "`{name}` contains `yield`, so calling it runs nothing. Take `yield` out, or put it into a "
    "helper."
)
WANTS_CLASS = "`{name}` is a function here, and the exercise asks for `{signature}`."
WANTS_FUNCTION = "`{name}` is a class here, and the exercise asks for `{signature}`."
TAKES_STARRED = "`{name}` takes `{starred}` where the exercise has {missing}. Write `{signature}`."
WRONG_PARAMETERS = "`{name}` takes ({given}). The exercise asks for `{signature}`."
KEYWORD_ONLY = (
    "`{parameter}` of `{name}` can be given by keyword alone. Write `{signature}`, without the `*`."
)
MORE_PARAMETERS = (
    "`{name}` needs `{parameter}` too, which the exercise does not give. Take it out, or give it a "
    "default value."
)
NO_METHOD = "Class `{name}` has no method `{method}`. Write `{signature}` in it."
WRONG_BASE = "Class `{name}` must be a `{base}`. Write `class {name}({base}):`."
NOTHING = "nothing"

# Names
UNDEFINED = (
    "`{name}` comes from elsewhere: this cell neither defines nor imports it. Put the import or "
    "the helper into the exercise's cell."
)
UNDEFINED_NOTEBOOK = (
    "`{name}` belongs to the notebook, not to the answer. Move this line to a cell of its own."
)

# Imports
IMPORT_REFUSED = "`{module}` can't be imported in an answer. Allowed are {allowed}."
IMPORT_RINGLAB = (
    "`ringlab` can't be imported in an answer. Move the lines that use it to a cell of their own."
)
IMPORT_DDP = "torch's own `{path}` does what the exercise asks you to build. Build it by hand."
IMPORT_STAR = "`from {module} import *` hides what is used. Import the names that you need."
IMPORT_RELATIVE = "`from {dots} import` needs a package. Import from {allowed}."
IMPORT_IN_CLASS = "The import of `{module}` inside a class body is not allowed. Move it to the top."

# Names and attributes that are out of bounds
OUT_OF_BOUNDS = (
    "`{path}` is out of bounds for an answer. Use the tensor functions and `dist` calls."
)
OUT_OF_BOUNDS_STDLIB = "`{path}` is out of bounds for an answer. Use another part of `{module}`."
BY_NAME = "`{path}` is out of bounds for an answer: it reads any name. Write `{instead}`."
READS_BY_NAME = {
    "operator.attrgetter": "lambda t: t.dtype",
    "operator.methodcaller": "lambda t: t.numel()",
}
OWN_GROUP = "`{path}` is the judge's work: the process group is ready when the function is called."
COMPILED = "`{path}` is out of bounds for an answer: the run is watched as plain Python."
PRIVATE = (
    "`.{name}` is a private name of something that this cell does not define. Use a public one."
)
PRIVATE_TAKEN = (
    "`.{name}` is an internal name of Python or torch. Call your own attribute otherwise."
)
DUNDER = "`{name}` leads into Python's internals and is out of bounds for an answer."
DUNDER_DEFINED = "`{name}` can't be defined in an answer: it changes how Python or torch treat it."
INTERNAL = "`.{name}` leads out of the answer, into the machine. It is out of bounds."
MEMORY = (
    "`.{name}` reaches raw memory. Use the tensor itself, `numel()` and `element_size()` for its "
    "size."
)
NUMPY = (
    "`.numpy` is fine for showing a tensor, `print(tensor.numpy())`, and not for keeping the "
    "array. Use the tensor's own methods."
)
PICKLES = (
    "`{path}` sends pickles, which run code where they arrive. Put what you send into a tensor."
)
ENDS_PROCESS = (
    "`{name}` ends the process, and a rank must return. Use `return`, or raise an ordinary error."
)
RUNS_TEXT = "`{name}` runs text as code, which an answer can't. Write the code itself."
TOUCHES_FILES = "`{name}` reaches files or the keyboard, which an answer can't."
SHOWS_SCOPE = "`{name}` opens up Python's tables of names. Use the names themselves."
FORBIDDEN_BUILTIN = "`{name}` is out of bounds for an answer."
COMPUTED_NAME = (
    "`{function}` on `{target}` with a computed name can't be followed. Write the name out: "
    "`{target}.name`."
)
STARRED_GETATTR = "`{function}` with `*` or `**` can't be followed. Write its arguments out."
ASSIGNED_INTO = "This changes `{path}` for everyone in the process. Write a function of your own."
MODULE_ESCAPES = (
    "`{path}` is handed on as a value, where it can't be followed. Call what you need from it "
    "directly: `{text}.name(...)`."
)
FORMAT_TEMPLATE = (
    "`.format` on a text that is made elsewhere can't be followed. "
    "Use an f-string, or `.format` on the text itself."
)
TYPE_MAKES_CLASS = "`type` with several arguments makes a class. Write `class` instead."
TYPE_AS_BASE = "A metaclass changes how classes work, and is out of bounds for an answer."
UNKNOWN_BASE = "The base class `{text}` can't be followed. Name the class itself."
UNKNOWN_PATTERN = (
    "The pattern `{text}` can't be followed. Name a class of this cell, or use keyword patterns."
)
MATCH_ARGS = "`__match_args__` must be a plain tuple of names."
DATACLASS_USE = "Use `dataclass` as a decorator: `@dataclass` above `class`."
WRAPS_USE = "Use `wraps` as the decorator next to the function: `@wraps(function)` above `def`."
CATCH_WARNINGS_USE = "Use `catch_warnings` in a `with` line, without `module`."
ENUM_CALL = "Write the members of an enum out, as a class or as a list of plain names."
ENUM_USE = "An enum class without members can be a base class, and nothing else."
METACLASS_USE = "Use `ABCMeta` as `metaclass=ABCMeta`, or derive from `ABC`."

# Communication
SPELLED = ", written as `{text}`,"
NOT_ALLOWED = "`{function}`{spelled} is used here, and this exercise allows {allowed}."
NOT_ALLOWED_NONE = (
    "`{function}`{spelled} is used here, and this exercise needs no communication at all."
)
FORBIDDEN = "`{function}`{spelled} is used here, and this exercise asks to do without it."
REQUIRED = "`{entry}` never calls {wanted}. {dead}"
REQUIRED_DEAD = "Line {line} has `{function}`, but that line never runs."
REQUIRED_HINT = "A call counts when `{entry}` reaches it, itself or through a helper in this cell."
IN_CALLBACK = (
    "`{function}`{spelled} is called in a callback of `.{method}`, which runs in another thread, "
    "unseen. Call it from the function itself."
)
TANGLED_CALLBACK = (
    "This code takes too long to follow, so what `.{method}` would run can't be told. Call it "
    "directly, without `.{method}`."
)
TANGLED_STORE = (
    "This code takes too long to follow, so what `{text}` changes can't be told. Use a local name, "
    "or an attribute of `self`."
)
OF_A_PAIR = {
    "all_reduce": "an all_reduce",
    "all_gather": "an all_gather",
    "reduce_scatter": "a reduce_scatter",
    "all_to_all": "an all_to_all",
}
OR_ELSE = ", or "
AND = " and "
OR = " or "

# Finding the answer in a file
NO_ANSWER = (
    "No cell of {file} defines `{name}`. Write `def {name}` or `class {name}` in a code cell."
)
NO_ANSWER_CELLS = "No cell defines `{name}`. Write `def {name}` or `class {name}` in a code cell."
NO_CELLS = "{file} has no cells with code."
NOT_FOUND = "{file} does not exist."
NOT_A_FILE = "{file} is not a file."
NOT_PERMITTED = "{file} can't be opened for reading."
CANT_READ = "{file} can't be read: {reason}."
TOO_BIG = "{file} has {size} MB; {limit} MB are read at most. Clear its outputs and save it again."
EMPTY_FILE = "{file} is empty."
NOT_JSON = "{file} is not a notebook, or a damaged one: line {line} is not JSON."
NOT_NOTEBOOK = "{file} is JSON, but not a notebook: it has no cells."
NOT_TEXT = "{file} is not text in UTF-8."
WRONG_KIND = "{file} is neither a notebook (.ipynb) nor a Python file (.py)."

# While an answer runs
NAME_IS_NO_TEXT = "The name of an attribute must be a plain string."
TENSOR_AS_BASE = (
    "A class made from Tensor or Parameter is not needed here. Keep the tensor in an attribute of "
    "a class of your own."
)

ORDER_OF_A_SET = (
    "The loop goes through a set of dtypes. A set has no order: it may be another one on another "
    "rank, which then waits for a message of another dtype. Go through a list, a dict, or "
    "dict.fromkeys(...), which keep the order in which things came."
)
