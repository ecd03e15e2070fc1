"""The imports between the modules of the package: each module imports only those below it."""

import ast
import tempfile
import unittest
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from support import ROOT

PACKAGE = ROOT / "python" / "lasthop"
# Modules that are imported when they are used. This one imports concurrent.futures, which takes as long as the rest of
# the package.
LAZY = {"lasthop._executor"}


def module_files(package: Path) -> dict[str, Path]:
    """The files of the package's modules and stubs, by the module's name."""
    found = {}
    for file in sorted(package.rglob("*.py*")):
        if file.suffix in (".py", ".pyi"):
            parts = (package.name, *file.relative_to(package).with_suffix("").parts)
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def imported_names(node: ast.AST, package: str) -> list[str]:
    """The names that a statement imports, from the root, each as a module or as a module's member."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        above = package.split(".")[: len(package.split(".")) + 1 - node.level] if node.level else []
        module = ".".join([*above, *(node.module.split(".") if node.module else [])])
        return [f"{module}.{alias.name}" for alias in node.names]
    if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
        return [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
    return []


def imports_of(name: str, file: Path, known: set[str], within: type[ast.AST] = ast.AST) -> set[str]:
    """The modules that a module imports anywhere, or within nodes of a type; a parent package does not count."""
    package = name if file.stem == "__init__" else name.rpartition(".")[0]
    roots = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, within)]
    found = set()
    for node in (node for root in roots for node in ast.walk(root)):
        for imported in imported_names(node, package):
            module = imported if imported in known else imported.rpartition(".")[0]
            if module in known:
                found.add(module)
    return found


def import_graph(package: Path) -> dict[str, set[str]]:
    """The imports of each module: at its top, in functions, and for type checkers."""
    files = module_files(package)
    return {name: imports_of(name, file, set(files)) for name, file in files.items()}


def find_circle(graph: dict[str, set[str]]) -> list[str]:
    """The modules of an import circle, if there is one."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


class Imports(unittest.TestCase):
    def test_modules_have_no_circular_imports(self) -> None:
        graph = import_graph(PACKAGE)
        self.assertIn("lasthop._lasthop", graph["lasthop._scenario"])
        self.assertIn("lasthop._scenario", graph["lasthop.rl._native"])
        circle = find_circle(graph)
        self.assertEqual(circle, [], "these modules import each other: " + " <- ".join(circle))

    def test_functions_import_only_the_slow_module(self) -> None:
        files = module_files(PACKAGE)
        found = set()
        for name, file in files.items():
            if file.stem != "__init__":
                found |= imports_of(name, file, set(files), ast.FunctionDef)
        self.assertEqual(found, LAZY)

    def test_circular_imports_in_functions_and_type_checks_are_found(self) -> None:
        sources = {
            "a circle": {"__init__.py": "", "_a.py": "from ._b import x", "_b.py": "import p._a"},
            "within a function": {"__init__.py": "", "_a.py": "from . import _b", "_b.py": "def f():\n  from ._a import x"},
            "for type checkers": {"__init__.py": "", "_a.py": "from . import _b", "_b.py": "if T:\n  from ._a import x"},
            "through the package": {"__init__.py": "from ._a import x", "_a.py": "from . import x"},
            "through a stub": {"__init__.py": "", "_a.py": "from . import _n", "_n.pyi": "from ._a import X"},
        }
        for what, modules in sources.items():
            with self.subTest(what), tempfile.TemporaryDirectory() as folder:
                package = Path(folder) / "p"
                package.mkdir()
                for name, text in modules.items():
                    (package / name).write_text(text)
                self.assertEqual(len(set(find_circle(import_graph(package)))), 2)
                (package / "_a.py").write_text("import json")
                self.assertEqual(find_circle(import_graph(package)), [])


if __name__ == "__main__":
    unittest.main()
