package jdk.internal.util;

/** Arrays are compared element by element. */
public class ArraysSupport {
    static {
        // What the original prepares here is of no use without vectors.
        int prepared = 0;
    }

    public static int mismatch(boolean[] a, boolean[] b, int length) {
        for (int i = 0; i < length; i++) {
            if (a[i] != b[i]) {
                return i;
            }
        }
        return -1;
    }

    public static int mismatch(boolean[] a, int from, boolean[] b, int start, int length) {
        for (int i = 0; i < length; i++) {
            if (a[from + i] != b[start + i]) {
                return i;
            }
        }
        return -1;
    }

    public static int mismatch(byte[] a, byte[] b, int length) {
        for (int i = 0; i < length; i++) {
            if (a[i] != b[i]) {
                return i;
            }
        }
        return -1;
    }

    public static int mismatch(byte[] a, int from, byte[] b, int start, int length) {
        for (int i = 0; i < length; i++) {
            if (a[from + i] != b[start + i]) {
                return i;
            }
        }
        return -1;
    }

    public static int mismatch(char[] a, char[] b, int length) {
        for (int i = 0; i < length; i++) {
            if (a[i] != b[i]) {
                return i;
            }
        }
        return -1;
    }

    public static int mismatch(char[] a, int from, char[] b, int start, int length) {
        for (int i = 0; i < length; i++) {
            if (a[from + i] != b[start + i]) {
                return i;
            }
        }
        return -1;
    }

    public static int mismatch(short[] a, short[] b, int length) {
        for (int i = 0; i < length; i++) {
            if (a[i] != b[i]) {
                return i;
            }
        }
        return -1;
    }

    public static int mismatch(short[] a, int from, short[] b, int start, int length) {
        for (int i = 0; i < length; i++) {
            if (a[from + i] != b[start + i]) {
                return i;
            }
        }
        return -1;
    }

    public static int mismatch(int[] a, int[] b, int length) {
        for (int i = 0; i < length; i++) {
            if (a[i] != b[i]) {
                return i;
            }
        }
        return -1;
    }

    public static int mismatch(int[] a, int from, int[] b, int start, int length) {
        for (int i = 0; i < length; i++) {
            if (a[from + i] != b[start + i]) {
                return i;
            }
        }
        return -1;
    }

    public static int mismatch(long[] a, long[] b, int length) {
        for (int i = 0; i < length; i++) {
            if (a[i] != b[i]) {
                return i;
            }
        }
        return -1;
    }

    public static int mismatch(long[] a, int from, long[] b, int start, int length) {
        for (int i = 0; i < length; i++) {
            if (a[from + i] != b[start + i]) {
                return i;
            }
        }
        return -1;
    }
}
