package java.lang;

/** The wrapper of a primitive type; objects that hold small values are told apart by those alone. */
public final class Byte {
    private final byte value;

    Byte(byte value) {
        this.value = value;
    }

    public static Byte valueOf(byte value) {
        return new Byte(value);
    }
}
