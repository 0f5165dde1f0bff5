"""What the methods of a class store in the fields of its objects, as it stands in the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from everypath.languages.python.frontend.modules import FunctionNode, assigned_pairs, positional
from everypath.languages.python.frontend.nodes import walk
from everypath.languages.python.frontend.userclass import UserFunction

Store = tuple[str, "ast.expr | None", str, ast.AST]
_ADDERS: dict[str, int] = {"append": 0, "add": 0, "insert": 1, "appendleft": 0}


def receiver_of(function: UserFunction) -> str | None:
    """What holds the object in a method; in `__new__`, what another `__new__` has made, which the class may keep."""
    if function.node.name == "__new__":
        for node in walk(function.node):
            match node:
                case ast.Assign(
                    [(ast.Name() | ast.Attribute()) as target], ast.Call(func=ast.Attribute(attr="__new__"))
                ):
                    return ast.unparse(target)
        return None
    received = positional(function.node)
    return received[0].arg if received and function.kind not in ("static", "class") else None


def own_attribute(target: ast.expr, receiver: str) -> str | None:
    """The attribute that `receiver.__dict__["name"]` is."""
    match target:
        case ast.Subscript(ast.Attribute(ast.Name(owner), "__dict__"), ast.Constant(str() as name)) if (
            owner == receiver
        ):
            return name
    return None


def stores(function: FunctionNode, receiver: str) -> Iterator[Store]:
    """Assignments to fields of the receiver, and what is put into collections that its fields hold."""

    def is_field(node: ast.AST) -> bool:
        if not isinstance(node, ast.Attribute) or node.attr in ("__dict__", "__class__"):
            return False
        return isinstance(node.value, (ast.Name, ast.Attribute)) and ast.unparse(node.value) == receiver

    for node in walk(function):
        match node:
            case ast.Assign():
                for target, value in assigned_pairs(node):
                    if isinstance(target, ast.Attribute) and is_field(target):
                        yield target.attr, value, "assign", node
                    elif (name := own_attribute(target, receiver)) is not None:
                        yield name, value, "assign", node
                    elif isinstance(target, ast.Subscript) and is_field(target.value):
                        assert isinstance(target.value, ast.Attribute)
                        yield target.value.attr, value, "element", node
                        if not isinstance(target.slice, ast.Slice):
                            yield target.value.attr, target.slice, "key", node
            case ast.AnnAssign(target=ast.Attribute() as target) if is_field(target):
                yield target.attr, node.value, "declare", node
            case ast.AugAssign(target=ast.Attribute() as target) | ast.For(target=ast.Attribute() as target):
                if is_field(target):
                    yield target.attr, None, "assign", node
            case ast.Call(func=called, args=[*owner, ast.Constant(value=str() as name), value]) if _sets(
                called, owner, receiver
            ):
                yield name, value, "assign", node
            case ast.Call(func=ast.Attribute(value=ast.Attribute() as holder, attr=method), args=args):
                if is_field(holder) and method in _ADDERS and len(args) > _ADDERS[method]:
                    yield holder.attr, args[_ADDERS[method]], "element", node


def _sets(called: ast.expr, owner: list[ast.expr], receiver: str) -> bool:
    """Whether a call with a name and a value sets an attribute of the receiver."""
    if [ast.unparse(each) for each in owner] == [receiver]:
        return ast.unparse(called) in ("setattr", "object.__setattr__", "super().__setattr__")
    return not owner and ast.unparse(called) in ("super().__setattr__", f"{receiver}.__setattr__")
