package java.lang;

import everypath.Engine;

/** The wrapper of a primitive type; objects that hold small values are told apart by those alone. */
public final class Double {
    private final double value;

    Double(double value) {
        this.value = value;
    }

    public static Double valueOf(double value) {
        return new Double(value);
    }

    public static String toString(double value) {
        return Engine.text(value);
    }
}
