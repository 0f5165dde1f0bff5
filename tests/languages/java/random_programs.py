"""Random small methods in Java, as source: all number types, control flow, arrays, exceptions, strings."""

from __future__ import annotations

import random

NUMBERS = ("int", "long", "short", "byte", "char", "double")
_EDGES = {
    "int": ("0", "1", "-1", "7", "31", "33", "0x7fffffff", "0x80000000", "0xff", "1000003"),
    "long": ("0L", "1L", "-1L", "63L", "0x7fffffffffffffffL", "0x8000000000000000L", "123456789012L"),
    "short": ("(short) 5", "(short) -32768", "(short) 32767"),
    "byte": ("(byte) 3", "(byte) -128", "(byte) 200"),
    "char": ("'a'", "'\\0'", "'\\uffff'", "(char) 300"),
    "double": ("0.0", "-0.0", "1.5", "-2.25", "1e300", "Double.NaN", "1.0 / 0"),
    "boolean": ("true", "false"),
    "String": ('"x"', '""', '"ab\\u00e9"'),
}


class Generator:
    """Writes one method at a time."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.depth = 0
        self.names: dict[str, str] = {}
        self.fresh = 0

    def method(self, name: str) -> tuple[str, tuple[str, ...]]:
        """The source of a static method and the types of its parameters."""
        pick = self.random
        types = tuple(pick.choice((*NUMBERS, "boolean")) for _ in range(pick.randint(1, 3)))
        self.names = {f"p{number}": type_ for number, type_ in enumerate(types)}
        self.fresh = 0
        result = pick.choice((*NUMBERS, "boolean", "String"))
        body = [self.statement(2) for _ in range(pick.randint(1, 4))]
        body.append(f"return {self.expression(result, 3)};")
        params = ", ".join(f"{type_} p{number}" for number, type_ in enumerate(types))
        lines = "\n".join(f"        {line}" for text in body for line in text.split("\n"))
        return f"    static {result} {name}({params}) {{\n{lines}\n    }}\n", types

    # Statements.

    def statement(self, depth: int) -> str:
        kinds = ["declare", "declare", "assign", "compound", "increment"]
        if depth:
            kinds += ["if", "for", "while", "switch", "try", "array", "throw", "field"]
        known = dict(self.names)
        made: str = getattr(self, f"_{self.random.choice(kinds)}")(depth)
        if made.startswith(("if", "for", "while", "switch", "try", "{")):
            # What is declared inside is not known behind it.
            self.names = known
        return made

    def _block(self, depth: int) -> str:
        known = dict(self.names)
        lines = "\n".join(self.statement(depth - 1) for _ in range(self.random.randint(1, 2)))
        self.names = known
        return "{\n" + "\n".join(f"    {line}" for line in lines.split("\n")) + "\n}"

    def _new(self, type_: str) -> str:
        self.fresh += 1
        name = f"v{self.fresh}"
        self.names[name] = type_
        return name

    def _declare(self, depth: int) -> str:
        type_ = self.random.choice((*NUMBERS, "boolean", "String"))
        value = self.expression(type_, depth + 1)
        return f"{type_} {self._new(type_)} = {value};"

    def _variable(self, types: tuple[str, ...]) -> str | None:
        found = [name for name, type_ in self.names.items() if type_ in types and not name.startswith("i")]
        return self.random.choice(found) if found else None

    def _assign(self, depth: int) -> str:
        name = self._variable((*NUMBERS, "boolean", "String"))
        return self._declare(depth) if name is None else f"{name} = {self.expression(self.names[name], depth + 1)};"

    def _compound(self, depth: int) -> str:
        name = self._variable(NUMBERS)
        if name is None:
            return self._declare(depth)
        type_ = self.names[name]
        operators = "+ - * / %".split() if type_ == "double" else "+ - * / % << >> >>> & | ^".split()
        right = self.expression(self.random.choice(("int", type_)) if type_ != "double" else "double", depth)
        return f"{name} {self.random.choice(operators)}= {right};"

    def _increment(self, depth: int) -> str:
        name = self._variable(NUMBERS)
        return self._declare(depth) if name is None else f"{name}{self.random.choice(('++', '--'))};"

    def _field(self, depth: int) -> str:
        return f"Fields.{self.random.choice('xy')} += {self.expression('int', depth)};"

    def _if(self, depth: int) -> str:
        made = f"if ({self.expression('boolean', depth)}) {self._block(depth)}"
        return made + (f" else {self._block(depth)}" if self.random.random() < 0.5 else "")

    def _for(self, depth: int) -> str:
        self.fresh += 1
        name = f"i{self.fresh}"
        self.names[name] = "int"
        leave = f"\n    if ({self.expression('boolean', 1)}) {self.random.choice(('break', 'continue'))};"
        body = self._block(depth).replace("{\n", "{" + (leave if self.random.random() < 0.4 else "") + "\n", 1)
        return f"for (int {name} = 0; {name} < {self.random.randint(0, 3)}; {name}++) {body}"

    def _while(self, depth: int) -> str:
        self.fresh += 1
        name = f"i{self.fresh}"
        self.names[name] = "int"
        body = self._block(depth).removesuffix("}") + f"    {name}--;\n}}"
        condition = f"{name} > 0 && {self.expression('boolean', 1)}"
        # No `continue` in it: the counter goes down in every round.
        return f"{{\n    int {name} = {self.random.randint(0, 3)};\n    while ({condition}) {body}\n}}"

    def _switch(self, depth: int) -> str:
        numbers = self.random.sample((-1, 0, 1, 2, 3, 1000), 3)
        cases = "\n".join(
            f"    case {number}: {self._block(depth)}{' break;' if self.random.random() < 0.7 else ''}"
            for number in numbers
        )
        return f"switch ({self.expression('int', 1)} % 5) {{\n{cases}\n    default: {self._block(depth)}\n}}"

    def _try(self, depth: int) -> str:
        self.fresh += 1
        kind = self.random.choice(("ArithmeticException", "RuntimeException", "IllegalStateException"))
        made = f"try {self._block(depth)} catch ({kind} e{self.fresh}) {self._block(depth)}"
        return made + (f" finally {self._block(depth)}" if self.random.random() < 0.5 else "")

    def _throw(self, depth: int) -> str:
        kind = self.random.choice(("IllegalStateException", "ArithmeticException", "IndexOutOfBoundsException"))
        return f'if ({self.expression("boolean", 1)}) throw new {kind}("{depth}");'

    def _array(self, depth: int) -> str:
        type_ = self.random.choice(("int", "char", "byte", "long", "boolean", "String"))
        self.fresh += 1
        name = f"a{self.fresh}"
        index = f"({self.expression('int', 1)}) & 3"
        value = self.expression(type_, 1)
        total = self._new(type_)
        return (
            f"{type_}[] {name} = new {type_}[3];\n{name}[{index}] = {value};\n"
            f"{type_} {total} = {name}[{self.random.randint(0, 2)}];"
        )

    # Expressions.

    def expression(self, type_: str, depth: int) -> str:
        pick = self.random
        if depth <= 0 or pick.random() < 0.2:
            return self._leaf(type_)
        if pick.random() < 0.1:
            return (
                f"({self.expression('boolean', depth - 1)} ? {self.expression(type_, depth - 1)}"
                f" : {self.expression(type_, depth - 1)})"
            )
        if type_ == "boolean":
            return self._condition(depth)
        if type_ == "String":
            other = pick.choice(("int", "long", "char", "boolean", "String"))
            return f"({self.expression('String', depth - 1)} + {self.expression(other, depth - 1)})"
        if type_ in ("short", "byte", "char"):
            return f"({type_}) ({self.expression('int', depth - 1)})"
        if pick.random() < 0.2:
            return f"({type_}) ({self.expression(pick.choice(NUMBERS), depth - 1)})"
        if pick.random() < 0.1:
            return f"-({self.expression(type_, depth - 1)})"
        operators = "+ - * / %".split()
        if type_ in ("int", "long"):
            operators += "<< >> >>> & | ^ & ^".split()
        operator = pick.choice(operators)
        left, right = self.expression(type_, depth - 1), self.expression(type_, depth - 1)
        if operator in ("<<", ">>", ">>>"):
            right = self.expression("int", depth - 1)
        return f"({left} {operator} {right})"

    def _condition(self, depth: int) -> str:
        pick = self.random
        kind = pick.random()
        if kind < 0.2:
            left, right = self.expression("boolean", depth - 1), self.expression("boolean", depth - 1)
            return f"({left} {pick.choice(('&&', '||', '^', '&', '|', '==', '!='))} {right})"
        if kind < 0.3:
            return f"!({self.expression('boolean', depth - 1)})"
        type_ = pick.choice(NUMBERS)
        operator = pick.choice(("<", "<=", ">", ">=", "==", "!="))
        return f"({self.expression(type_, depth - 1)} {operator} {self.expression(type_, depth - 1)})"

    def _leaf(self, type_: str) -> str:
        known = [name for name, have in self.names.items() if have == type_]
        if known and self.random.random() < 0.7:
            return self.random.choice(known)
        return self.random.choice(_EDGES[type_])


def arguments(pick: random.Random, types: tuple[str, ...]) -> list[str]:
    """Random arguments as Java writes them."""
    return [pick.choice(_EDGES[type_]) for type_ in types]


def program(seed: int, count: int, calls: int) -> tuple[str, list[tuple[str, int]]]:
    """A class with so many methods, each called a few times without arguments by methods `call<n>_<k>`."""
    generator = Generator(seed)
    methods: list[str] = []
    called: list[tuple[str, int]] = []
    for number in range(count):
        text, types = generator.method(f"m{number}")
        result = text.split()[1]
        methods.append(text)
        for call in range(calls):
            values = ", ".join(arguments(generator.random, types))
            methods.append(
                f"    static String call{number}_{call}() {{\n        Fields.x = 0;\n        Fields.y = 0;\n"
                f"        {result} r = m{number}({values});\n"
                f'        return r + "/" + Fields.x + "/" + Fields.y;\n    }}\n'
            )
            called.append((f"call{number}_{call}", number))
    # A method whose code is too clever for the compiler (unreachable statements) would spoil the whole class.
    return "class Fields { static int x, y; }\n\nclass Random {\n" + "\n".join(methods) + "}\n", called


RUNNER = """
import java.lang.reflect.InvocationTargetException;

class Runner {
    public static void main(String[] names) throws Exception {
        for (String name : names[0].split(",")) {
            try {
                System.out.println(name + " " + escaped((String) Random.class.getDeclaredMethod(name).invoke(null)));
            } catch (InvocationTargetException e) {
                System.out.println(name + " !" + e.getCause().getClass().getName());
            }
        }
    }

    static String escaped(String text) {
        StringBuilder made = new StringBuilder();
        for (char c : text.toCharArray()) {
            made.append(c >= ' ' && c < 127 ? String.valueOf(c) : String.format("\\\\u%04x", (int) c));
        }
        return made.toString();
    }
}
"""
