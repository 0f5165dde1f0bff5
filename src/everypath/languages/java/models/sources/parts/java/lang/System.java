package java.lang;

import everypath.Engine;

/** Arrays are copied element by element. */
public final class System {
    public static void arraycopy(Object from, int start, Object to, int at, int length) {
        int size = Engine.length(from);
        int room = Engine.length(to);
        if (start < 0 || at < 0 || length < 0 || length > size - start || length > room - at) {
            throw new ArrayIndexOutOfBoundsException();
        }
        if (Engine.copy(from, start, to, at, length)) {
            return;
        }
        Object[] kept = new Object[length];
        for (int i = 0; i < length; i++) {
            kept[i] = Engine.get(from, start + i);
        }
        for (int i = 0; i < length; i++) {
            Engine.set(to, at + i, kept[i]);
        }
    }

    public static String lineSeparator() {
        return "\n";
    }
}
