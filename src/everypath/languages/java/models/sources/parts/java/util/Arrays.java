package java.util;

import everypath.Engine;

/** Copies of arrays have the type of the original. */
public class Arrays {
    @SuppressWarnings("unchecked")
    public static <T> T[] copyOf(T[] original, int length) {
        T[] made = (T[]) Engine.like(original, length);
        System.arraycopy(original, 0, made, 0, Math.min(original.length, length));
        return made;
    }

    @SuppressWarnings("unchecked")
    public static <T> T[] copyOfRange(T[] original, int from, int to) {
        int length = to - from;
        if (length < 0) {
            throw new IllegalArgumentException(String.valueOf(from).concat(" > ").concat(String.valueOf(to)));
        }
        T[] made = (T[]) Engine.like(original, length);
        System.arraycopy(original, from, made, 0, Math.min(original.length - from, length));
        return made;
    }
}
