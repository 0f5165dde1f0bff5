"""The one small helper of a test class: makes objects and reads and sets fields past what Java allows by name."""

from __future__ import annotations

_MAKE = """
private static <T> T make(Class<T> type) {
    try {
        Field unsafe = Class.forName("sun.misc.Unsafe").getDeclaredField("theUnsafe");
        unsafe.setAccessible(true);
        Method allocate = unsafe.getType().getMethod("allocateInstance", Class.class);
        return type.cast(allocate.invoke(unsafe.get(null), type));
    } catch (ReflectiveOperationException e) {
        throw new AssertionError(e);
    }
}
"""
_TYPE = """
private static Class<?> type(String name) {
    try {
        return Class.forName(name);
    } catch (ClassNotFoundException e) {
        throw new AssertionError(e);
    }
}
"""
_CONSTANT = """
private static Object constant(String type, String name) {
    for (Object constant : type(type).getEnumConstants()) {
        if (((Enum<?>) constant).name().equals(name)) {
            return constant;
        }
    }
    throw new AssertionError("no constant " + name);
}
"""
_ARRAY = """
private static Object array(Class<?> type, Object... items) {
    Object array = Array.newInstance(type, items.length);
    for (int i = 0; i < items.length; i++) {
        Array.set(array, i, items[i]);
    }
    return array;
}
"""
_GET = """
private static Object get(Object target, String name) {
    try {
        return field(target, name).get(target);
    } catch (IllegalAccessException e) {
        throw new AssertionError(e);
    }
}
"""
_SET = """
private static void set(Object target, String name, Object value) {
    try {
        field(target, name).set(target, value);
    } catch (IllegalAccessException e) {
        throw new AssertionError(e);
    }
}
"""
_FIELD = """
private static Field field(Object target, String name) {
    for (Class<?> type = target.getClass(); type != null; type = type.getSuperclass()) {
        for (Field field : type.getDeclaredFields()) {
            String full = field.getName() + "@" + type.getName();
            if (name.equals(field.getName()) || name.equals(full)) {
                field.setAccessible(true);
                return field;
            }
        }
    }
    throw new AssertionError("no field " + name);
}
"""
_METHODS = {
    "make": _MAKE, "type": _TYPE, "constant": _CONSTANT, "array": _ARRAY, "get": _GET, "set": _SET, "field": _FIELD,
}  # fmt: skip
_NEEDS = {"get": ("field",), "set": ("field",), "constant": ("type",)}
_IMPORTS = {
    "make": ("java.lang.reflect.Field", "java.lang.reflect.Method"),
    "field": ("java.lang.reflect.Field",),
    "array": ("java.lang.reflect.Array",),
}
NAMES = frozenset(_METHODS)
"""The names of the helper's methods."""


class Reflection:
    """Notes which methods of the helper a test class uses."""

    def __init__(self) -> None:
        self.used: set[str] = set()

    def get(self, variable: str, field: str) -> str:
        """Reads a field; the result is any object."""
        self._use("get")
        return f"get({variable}, {field})"

    def set(self, variable: str, field: str, value: str) -> str:
        """Sets a field."""
        self._use("set")
        return f"set({variable}, {field}, {value});"

    def make(self, type_: str) -> str:
        """Makes an object without a constructor, given an expression for its class."""
        self._use("make")
        return f"make({type_})"

    def type(self, name: str) -> str:
        """A class that cannot be named, by a literal with its binary name."""
        self._use("type")
        return f"type({name})"

    def constant(self, type_: str, name: str) -> str:
        """A constant of an enum that cannot be named, both given as literals."""
        self._use("constant")
        return f"constant({type_}, {name})"

    def array(self, type_: str, items: list[str]) -> str:
        """An array whose class cannot be named."""
        self._use("array")
        return f"array({', '.join([type_, *items])})"

    def imports(self) -> list[str]:
        """What the helper needs imported."""
        return sorted({name for method in self.used for name in _IMPORTS.get(method, ())})

    def methods(self) -> list[str]:
        """The methods of the helper that are used, as lines with an empty one before each."""
        return [line for name in _METHODS if name in self.used for line in _METHODS[name].rstrip("\n").split("\n")]

    def _use(self, name: str) -> None:
        self.used.update((name, *_NEEDS.get(name, ())))
