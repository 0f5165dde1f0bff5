package everypath;

/** What the engine does itself, for models of the library. */
public final class Engine {
    private Engine() {}

    /** The length of an array of any type. */
    public static native int length(Object array);

    /** An element of an array of any type, numbers as they are. */
    public static native Object get(Object array, int index);

    /** Assigns an element of an array of any type. */
    public static native void set(Object array, int index, Object value);

    /** A new array of the same type. */
    public static native Object like(Object array, int length);

    /** Copies between arrays whose elements and indices are all known; false if they are not. */
    public static native boolean copy(Object from, int start, Object to, int at, int length);

    /** The characters of an array as a string. */
    public static native String text(char[] characters, int start, int count);

    /** What a class of characters says about one beyond ASCII. */
    public static native boolean is(String kind, int character);

    /** A character beyond ASCII in the other case. */
    public static native int upper(int character);

    public static native int lower(int character);

    /** The text of a number. */
    public static native String text(long number);

    public static native String text(double number);

    public static native String text(float number);

    /** Whether the class of an object has a hash code of the program's own. */
    public static native boolean hashes(Object key);
}
