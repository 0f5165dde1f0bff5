package java.lang;

import everypath.Engine;

/** The wrapper of a primitive type; objects that hold small values are told apart by those alone. */
public final class Long {
    private final long value;

    Long(long value) {
        this.value = value;
    }

    public static Long valueOf(long value) {
        return new Long(value);
    }

    public static String toString(long value) {
        return Engine.text((long) value);
    }
}
