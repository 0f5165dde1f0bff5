package java.lang;

/** The wrapper of a primitive type; objects that hold small values are told apart by those alone. */
public final class Boolean {
    private final boolean value;

    Boolean(boolean value) {
        this.value = value;
    }

    public static Boolean valueOf(boolean value) {
        return new Boolean(value);
    }

    public static String toString(boolean value) {
        return value ? "true" : "false";
    }
}
