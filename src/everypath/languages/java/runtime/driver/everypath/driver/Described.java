package everypath.driver;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** Objects as data: what each holds, in JSON, under the names that they have or get here. */
final class Described {
    private static final int MOST = 150;
    private final Map<Object, String> names;
    private final Map<Object, Boolean> seen = new IdentityHashMap<>();
    private final List<Object> waiting = new ArrayList<>();
    private int fresh;

    Described(Map<Object, String> names) {
        this.names = new IdentityHashMap<>(names);
    }

    /** A value; what it refers to is described later. */
    String value(Object value) {
        if (value == null) {
            return "[\"plain\",\"null\",\"\"]";
        }
        String letter = letter(value);
        if (letter != null) {
            String text = value instanceof Character ? Integer.toString((Character) value) : value.toString();
            return list("plain", letter, text);
        }
        if (value instanceof Enum<?> constant) {
            return list("constant", constant.getDeclaringClass().getName(), constant.name());
        }
        if (value instanceof Class<?> cls) {
            return list("class", cls.getName(), "");
        }
        String name = names.get(value);
        if (name == null) {
            name = "new" + ++fresh;
            names.put(value, name);
        }
        if (seen.put(value, true) == null) {
            waiting.add(value);
        }
        return list("object", name, "");
    }

    static String letter(Object value) {
        if (value instanceof String) {
            return "text";
        }
        switch (value.getClass().getName()) {
            case "java.lang.Integer": return "I";
            case "java.lang.Long": return "J";
            case "java.lang.Short": return "S";
            case "java.lang.Byte": return "B";
            case "java.lang.Character": return "C";
            case "java.lang.Boolean": return "Z";
            case "java.lang.Float": return "F";
            case "java.lang.Double": return "D";
            default: return null;
        }
    }

    /** Everything that the values so far refer to: name -> what it holds; null if that is too much. */
    String heap() {
        StringBuilder text = new StringBuilder("{");
        for (int i = 0; i < waiting.size(); i++) {
            if (i == MOST) {
                return null;
            }
            Object object = waiting.get(i);
            text.append(i == 0 ? "" : ",").append(Answer.quoted(names.get(object))).append(':').append(state(object));
        }
        return text.append('}').toString();
    }

    private String state(Object object) {
        Class<?> cls = object.getClass();
        if (cls.isArray()) {
            List<String> items = new ArrayList<>();
            for (int i = 0; i < Array.getLength(object) && i <= MOST; i++) {
                items.add(value(Array.get(object, i)));
            }
            return "[\"array\"," + Answer.quoted(cls.descriptorString()) + ",[" + String.join(",", items) + "]]";
        }
        if (object instanceof CharSequence && cls.getName().startsWith("java.lang.")) {
            return list("builder", cls.getName(), object.toString());
        }
        boolean library = !(cls.getClassLoader() instanceof Loader);
        if (library && object instanceof Collection<?> items) {
            return collection("items", cls, new ArrayList<Object>(items));
        }
        if (library && object instanceof Map<?, ?> map) {
            List<Object> flat = new ArrayList<>();
            map.forEach((key, held) -> Collections.addAll(flat, key, held));
            return collection("entries", cls, flat);
        }
        if (library || cls.isSynthetic() || cls.isHidden()) {
            return list("other", cls.getName(), "");
        }
        return fields(object, cls);
    }

    private String collection(String kind, Class<?> cls, List<?> flat) {
        List<String> items = new ArrayList<>();
        for (Object each : flat) {
            items.add(value(each));
        }
        return "[" + Answer.quoted(kind) + "," + Answer.quoted(cls.getName()) + ",[" + String.join(",", items) + "]]";
    }

    private String fields(Object object, Class<?> cls) {
        List<Class<?>> line = new ArrayList<>();
        for (Class<?> each = cls; each.getClassLoader() instanceof Loader; each = each.getSuperclass()) {
            line.add(0, each);
        }
        List<String> items = new ArrayList<>();
        List<String> known = new ArrayList<>();
        for (Class<?> owner : line) {
            List<String> here = new ArrayList<>();
            for (Field field : owner.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers())) {
                    continue;
                }
                // As the front end tells apart fields that hide each other.
                String name = known.contains(field.getName()) ? field.getName() + "@" + owner.getName() : field.getName();
                here.add(field.getName());
                try {
                    field.setAccessible(true);
                    items.add("[" + Answer.quoted(name) + "," + value(field.get(object)) + "]");
                } catch (ReflectiveOperationException | RuntimeException problem) {
                    continue;
                }
            }
            known.addAll(here);
        }
        return "[\"fields\"," + Answer.quoted(cls.getName()) + ",[" + String.join(",", items) + "]]";
    }

    private static String list(String kind, String first, String second) {
        return "[" + Answer.quoted(kind) + "," + Answer.quoted(first) + "," + Answer.quoted(second) + "]";
    }
}
