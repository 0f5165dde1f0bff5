package everypath.driver;

import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The classes of one loader, by name, and what tests may call of them. */
final class Classes {
    private final Loader loader;
    private final Map<String, Executable> members = new HashMap<>();

    Classes(Program program) {
        loader = new Loader(program, Map.of(), Classes.class.getClassLoader());
        loader.setDefaultAssertionStatus(true);
    }

    ClassLoader loader() {
        return loader;
    }

    Class<?> find(String name) throws ClassNotFoundException {
        switch (name) {
            case "int": return int.class;
            case "long": return long.class;
            case "short": return short.class;
            case "byte": return byte.class;
            case "char": return char.class;
            case "boolean": return boolean.class;
            case "float": return float.class;
            case "double": return double.class;
            default: return Class.forName(name, false, loader);
        }
    }

    Class<?> find(Kind kind) throws ClassNotFoundException {
        return kind.isArray() ? find(kind.argument(0)).arrayType() : find(kind.name());
    }

    /** A method or constructor, as `class#name(descriptor)result`. */
    Executable member(String name) throws ClassNotFoundException {
        Executable known = members.get(name);
        if (known == null) {
            String[] parts = name.split("#");
            for (Class<?> cls = find(parts[0]); cls != null && known == null; cls = cls.getSuperclass()) {
                known = all(cls).stream().filter(each -> signature(each).equals(parts[1])).findFirst().orElse(null);
            }
            if (known == null) {
                throw new ClassNotFoundException(name);
            }
            known.setAccessible(true);
            members.put(name, known);
        }
        return known;
    }

    private static List<Executable> all(Class<?> cls) {
        List<Executable> found = new ArrayList<>(List.of(cls.getDeclaredConstructors()));
        found.addAll(List.of(cls.getDeclaredMethods()));
        return found;
    }

    /** The name and descriptor of a member. */
    static String signature(Executable member) {
        StringBuilder text = new StringBuilder(member instanceof Constructor ? "<init>" : member.getName()).append('(');
        for (Class<?> type : member.getParameterTypes()) {
            text.append(type.descriptorString());
        }
        Class<?> result = member instanceof Method method ? method.getReturnType() : void.class;
        return text.append(')').append(result.descriptorString()).toString();
    }

    /** Whether a test in the same package can write the name of a class, and make an object without another one. */
    static boolean isNamed(Class<?> cls) {
        for (Class<?> each = cls; each != null; each = each.getEnclosingClass()) {
            boolean inner = each.isMemberClass() && !Modifier.isStatic(each.getModifiers());
            if (Modifier.isPrivate(each.getModifiers()) || each.isAnonymousClass() || each.isLocalClass() || inner) {
                return false;
            }
        }
        return true;
    }

    /** Whether a class belongs to the program. */
    static boolean isOwn(Class<?> cls) {
        return cls != null && cls.getClassLoader() instanceof Loader;
    }

    /** Whether a test may call a member: one in the same package, where there can be one. */
    private static boolean isOffered(Class<?> cls, int flags) {
        return isOwn(cls) ? !Modifier.isPrivate(flags) : Modifier.isPublic(flags);
    }

    /** The constructors that a test may call, always in the same order. */
    static List<Constructor<?>> constructors(Class<?> cls) {
        List<Constructor<?>> found = new ArrayList<>();
        if (!Modifier.isAbstract(cls.getModifiers()) && isNamed(cls)) {
            for (Constructor<?> each : cls.getDeclaredConstructors()) {
                if (isOffered(cls, each.getModifiers()) && !each.isSynthetic()) {
                    found.add(each);
                }
            }
        }
        found.sort(Comparator.comparing(Classes::signature));
        return found;
    }

    /** The methods of a class and of those above it, up to the JDK's, that may change an object of it. */
    static List<Method> methods(Class<?> cls) {
        List<Method> found = new ArrayList<>();
        for (Class<?> each = cls; each == cls || isOwn(each); each = each.getSuperclass()) {
            Method[] declared = each.getDeclaredMethods();
            Arrays.sort(declared, Comparator.comparing(Classes::signature));
            for (Method method : declared) {
                int flags = method.getModifiers();
                if (!Modifier.isStatic(flags) && isOffered(cls, flags) && !Modifier.isAbstract(flags)
                        && !method.isSynthetic() && !method.isBridge()) {
                    found.add(method);
                }
            }
        }
        return found;
    }
}
