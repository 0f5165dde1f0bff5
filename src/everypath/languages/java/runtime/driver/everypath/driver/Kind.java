package everypath.driver;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.List;
import java.util.Map;

/** The type of an input, which belongs to no loader: a class by its name, or `[` for an array, with its arguments. */
record Kind(String name, List<Kind> arguments) {
    static final String ARRAY = "[";
    static final Kind OBJECT = new Kind("java.lang.Object", List.of());
    private static final int DEEPEST = 4;

    /** The kind of a type, with what its variables stand for. */
    static Kind of(Type type, Map<String, Kind> variables) {
        return of(type, variables, 0);
    }

    private static Kind of(Type type, Map<String, Kind> variables, int depth) {
        if (depth > DEEPEST) {
            return OBJECT;
        }
        if (type instanceof Class<?> cls) {
            if (cls.isArray()) {
                return new Kind(ARRAY, List.of(of(cls.getComponentType(), variables, depth)));
            }
            return new Kind(cls.getName(), List.of());
        }
        if (type instanceof GenericArrayType array) {
            return new Kind(ARRAY, List.of(of(array.getGenericComponentType(), variables, depth)));
        }
        if (type instanceof ParameterizedType applied) {
            List<Kind> arguments = java.util.Arrays.stream(applied.getActualTypeArguments())
                    .map(each -> of(each, variables, depth + 1)).toList();
            return new Kind(((Class<?>) applied.getRawType()).getName(), arguments);
        }
        if (type instanceof WildcardType wildcard) {
            Type bound = wildcard.getLowerBounds().length > 0 ? wildcard.getLowerBounds()[0] : wildcard.getUpperBounds()[0];
            return of(bound, variables, depth + 1);
        }
        TypeVariable<?> variable = (TypeVariable<?>) type;
        Kind known = variables.get(variable.getName());
        Type bound = variable.getBounds()[0];
        Class<?> raw = (Class<?>) (bound instanceof ParameterizedType applied ? applied.getRawType()
                : bound instanceof Class<?> ? bound : Object.class);
        // What can be compared at all is compared with its like.
        boolean open = raw == Object.class || raw == Comparable.class;
        return known != null && open ? known : new Kind(raw.getName(), List.of());
    }

    Kind argument(int at) {
        return at < arguments.size() ? arguments.get(at) : OBJECT;
    }

    boolean isArray() {
        return name.equals(ARRAY);
    }

    /** As descriptors of the JVM have it, without arguments. */
    String descriptor() {
        if (isArray()) {
            return "[" + argument(0).descriptor();
        }
        switch (name) {
            case "int": return "I";
            case "long": return "J";
            case "short": return "S";
            case "byte": return "B";
            case "char": return "C";
            case "boolean": return "Z";
            case "float": return "F";
            case "double": return "D";
            default: return "L" + name + ";";
        }
    }
}
