package java.lang;

import everypath.Engine;

/** The wrapper of a primitive type; objects that hold small values are told apart by those alone. */
public final class Float {
    private final float value;

    Float(float value) {
        this.value = value;
    }

    public static Float valueOf(float value) {
        return new Float(value);
    }

    public static String toString(float value) {
        return Engine.text(value);
    }
}
