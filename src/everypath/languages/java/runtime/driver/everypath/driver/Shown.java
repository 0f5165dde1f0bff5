package everypath.driver;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Values and objects in the form that cases have in JSON, under names that stay the same for a whole run. */
final class Shown {
    private static final int MOST_OBJECTS = 60;
    private static final int MOST_ITEMS = 40;
    private static final int LONGEST_TEXT = 200;
    /** Integers up to here mean the same to every reader of JSON. */
    private static final long LARGEST = 1L << 53;
    private final Map<Object, String> names = new IdentityHashMap<>();

    static String cut(String text) {
        return text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT) + "...";
    }

    /** A value; objects with a state of their own are named. */
    String value(Object value) {
        if (value == null) {
            return "null";
        }
        if (value instanceof Boolean || value instanceof Integer || value instanceof Short || value instanceof Byte) {
            return value.toString();
        }
        if (value instanceof Long number) {
            return -LARGEST < number && number < LARGEST ? number.toString() : one("$int", number.toString());
        }
        if (value instanceof Float || value instanceof Double) {
            return one("$float", value.toString());
        }
        if (value instanceof Character letter) {
            return one("$written", "'" + (letter < ' ' ? String.format("\\u%04x", (int) letter) : letter) + "'");
        }
        if (value instanceof String text) {
            return Answer.quoted(cut(text));
        }
        if (value instanceof Enum<?> constant) {
            return one("$name", constant.getDeclaringClass().getSimpleName() + "." + constant.name());
        }
        if (value instanceof Class<?> cls) {
            return one("$name", cls.getSimpleName() + ".class");
        }
        if (hasState(value)) {
            return one("$ref", names.computeIfAbsent(value, ignored -> "o" + (names.size() + 1)));
        }
        boolean number = value instanceof Number && isLibrary(value);
        return number ? one("$written", cut(value.toString())) : one("$opaque", simpleName(value.getClass()));
    }

    /** Whether a value is drawn as an object of its own. */
    boolean hasState(Object value) {
        if (value == null || value instanceof String || value instanceof Enum<?> || value instanceof Class<?>) {
            return false;
        }
        if (value.getClass().isArray() || isLibrary(value) && (value instanceof Collection || value instanceof Map)) {
            return true;
        }
        return value instanceof StringBuilder || value instanceof StringBuffer
                || !isLibrary(value) && !value.getClass().isHidden();
    }

    /** The state of every object within reach of some values, nearest first; only so many. */
    Map<String, String> reached(List<Object> roots) {
        Map<String, String> found = new LinkedHashMap<>();
        List<Object> agenda = new ArrayList<>(roots);
        for (int i = 0; i < agenda.size() && found.size() < MOST_OBJECTS; i++) {
            Object object = agenda.get(i);
            if (hasState(object)) {
                value(object);
                String name = names.get(object);
                if (!found.containsKey(name)) {
                    found.put(name, state(object, agenda));
                }
            }
        }
        return found;
    }

    /** What an object holds; its parts are added to what is to be looked at. */
    private String state(Object object, List<Object> agenda) {
        Class<?> cls = object.getClass();
        String named = "\"class\":" + Answer.quoted(simpleName(cls));
        if (cls.isArray()) {
            List<Object> items = new ArrayList<>();
            int length = Array.getLength(object);
            for (int i = 0; i < Math.min(length, MOST_ITEMS); i++) {
                items.add(Array.get(object, i));
            }
            return "{\"array\":" + row(items, agenda) + more(length) + "," + named + "}";
        }
        if (object instanceof StringBuilder || object instanceof StringBuffer) {
            return "{" + named + ",\"fields\":{\"text\":" + Answer.quoted(cut(object.toString())) + "}}";
        }
        if (isLibrary(object) && object instanceof Collection<?> items) {
            List<?> first = items.stream().limit(MOST_ITEMS).toList();
            String kind = object instanceof Set ? "\"set\":" : "\"list\":";
            return "{" + kind + row(first, agenda) + more(items.size()) + "," + named + "}";
        }
        if (isLibrary(object) && object instanceof Map<?, ?> map) {
            List<String> entries = new ArrayList<>();
            map.entrySet().stream().limit(MOST_ITEMS).forEach(
                    entry -> entries.add(row(java.util.Arrays.asList(entry.getKey(), entry.getValue()), agenda)));
            return "{\"dict\":[" + String.join(",", entries) + "]" + more(map.size()) + "," + named + "}";
        }
        return "{" + named + ",\"fields\":{" + String.join(",", fields(object, agenda)) + "}}";
    }

    private List<String> fields(Object object, List<Object> agenda) {
        List<Class<?>> line = new ArrayList<>();
        for (Class<?> each = object.getClass(); each.getClassLoader() instanceof Loader; each = each.getSuperclass()) {
            line.add(0, each);
        }
        Map<String, String> found = new LinkedHashMap<>();
        for (Class<?> owner : line) {
            for (Field field : owner.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers())) {
                    continue;
                }
                try {
                    field.setAccessible(true);
                    Object value = field.get(object);
                    agenda.add(value);
                    String hidden = found.containsKey(field.getName()) ? "@" + owner.getSimpleName() : "";
                    found.put(field.getName() + hidden, value(value));
                } catch (ReflectiveOperationException | RuntimeException problem) {
                    continue;
                }
            }
        }
        return found.entrySet().stream().map(each -> Answer.quoted(each.getKey()) + ":" + each.getValue()).toList();
    }

    private String row(List<?> items, List<Object> agenda) {
        List<String> parts = new ArrayList<>();
        for (Object item : items) {
            agenda.add(item);
            parts.add(value(item));
        }
        return "[" + String.join(",", parts) + "]";
    }

    private static String more(int size) {
        return size > MOST_ITEMS ? ",\"more\":" + (size - MOST_ITEMS) : "";
    }

    private static boolean isLibrary(Object value) {
        return !(value.getClass().getClassLoader() instanceof Loader);
    }

    private static String simpleName(Class<?> cls) {
        if (cls.isHidden()) {
            return "lambda";
        }
        String name = cls.getSimpleName();
        return name.isEmpty() ? cls.getName().substring(cls.getName().lastIndexOf('.') + 1) : name;
    }

    private static String one(String key, String text) {
        return "{" + Answer.quoted(key) + ":" + Answer.quoted(text) + "}";
    }
}
