package java.lang;

import everypath.Engine;

/** The wrapper of a primitive type; objects that hold small values are told apart by those alone. */
public final class Integer {
    private final int value;

    Integer(int value) {
        this.value = value;
    }

    public static Integer valueOf(int value) {
        return new Integer(value);
    }

    public static String toString(int value) {
        return Engine.text((long) value);
    }
}
