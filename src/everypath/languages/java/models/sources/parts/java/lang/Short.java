package java.lang;

/** The wrapper of a primitive type; objects that hold small values are told apart by those alone. */
public final class Short {
    private final short value;

    Short(short value) {
        this.value = value;
    }

    public static Short valueOf(short value) {
        return new Short(value);
    }
}
