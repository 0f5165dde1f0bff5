package org.junit.jupiter.api;

import java.lang.reflect.Array;
import java.util.Objects;
import org.junit.jupiter.api.function.Executable;

/** The assertions that generated tests use, with the meaning they have in JUnit 5. */
public final class Assertions {
    private Assertions() {}

    public static void assertTrue(boolean condition) {
        assertEquals(true, condition);
    }

    public static void assertFalse(boolean condition) {
        assertEquals(false, condition);
    }

    public static void assertNull(Object actual) {
        check(actual == null, "expected: <null> but was: " + shown(actual));
    }

    public static void assertNotNull(Object actual) {
        check(actual != null, "expected: not <null>");
    }

    public static void assertSame(Object expected, Object actual) {
        check(expected == actual, "expected the same object as " + shown(expected) + " but was: " + shown(actual));
    }

    public static void assertNotSame(Object unexpected, Object actual) {
        check(unexpected != actual, "expected: not the same object as " + shown(actual));
    }

    public static void assertEquals(byte expected, byte actual) {
        compare(expected, actual);
    }

    public static void assertEquals(short expected, short actual) {
        compare(expected, actual);
    }

    public static void assertEquals(char expected, char actual) {
        compare(expected, actual);
    }

    public static void assertEquals(int expected, int actual) {
        compare(expected, actual);
    }

    public static void assertEquals(long expected, long actual) {
        compare(expected, actual);
    }

    public static void assertEquals(float expected, float actual) {
        compare(expected, actual);
    }

    public static void assertEquals(double expected, double actual) {
        compare(expected, actual);
    }

    public static void assertEquals(byte expected, Byte actual) {
        compare(expected, actual);
    }

    public static void assertEquals(Byte expected, byte actual) {
        compare(expected, actual);
    }

    public static void assertEquals(Byte expected, Byte actual) {
        compare(expected, actual);
    }

    public static void assertEquals(short expected, Short actual) {
        compare(expected, actual);
    }

    public static void assertEquals(Short expected, short actual) {
        compare(expected, actual);
    }

    public static void assertEquals(Short expected, Short actual) {
        compare(expected, actual);
    }

    public static void assertEquals(char expected, Character actual) {
        compare(expected, actual);
    }

    public static void assertEquals(Character expected, char actual) {
        compare(expected, actual);
    }

    public static void assertEquals(Character expected, Character actual) {
        compare(expected, actual);
    }

    public static void assertEquals(int expected, Integer actual) {
        compare(expected, actual);
    }

    public static void assertEquals(Integer expected, int actual) {
        compare(expected, actual);
    }

    public static void assertEquals(Integer expected, Integer actual) {
        compare(expected, actual);
    }

    public static void assertEquals(long expected, Long actual) {
        compare(expected, actual);
    }

    public static void assertEquals(Long expected, long actual) {
        compare(expected, actual);
    }

    public static void assertEquals(Long expected, Long actual) {
        compare(expected, actual);
    }

    public static void assertEquals(float expected, Float actual) {
        compare(expected, actual);
    }

    public static void assertEquals(Float expected, float actual) {
        compare(expected, actual);
    }

    public static void assertEquals(Float expected, Float actual) {
        compare(expected, actual);
    }

    public static void assertEquals(double expected, Double actual) {
        compare(expected, actual);
    }

    public static void assertEquals(Double expected, double actual) {
        compare(expected, actual);
    }

    public static void assertEquals(Double expected, Double actual) {
        compare(expected, actual);
    }

    public static void assertEquals(Object expected, Object actual) {
        compare(expected, actual);
    }

    public static void assertNotEquals(Object unexpected, Object actual) {
        check(!Objects.equals(unexpected, actual), "expected: not equal but was: " + shown(actual));
    }

    public static void assertArrayEquals(boolean[] expected, boolean[] actual) {
        arrays(expected, actual);
    }

    public static void assertArrayEquals(char[] expected, char[] actual) {
        arrays(expected, actual);
    }

    public static void assertArrayEquals(byte[] expected, byte[] actual) {
        arrays(expected, actual);
    }

    public static void assertArrayEquals(short[] expected, short[] actual) {
        arrays(expected, actual);
    }

    public static void assertArrayEquals(int[] expected, int[] actual) {
        arrays(expected, actual);
    }

    public static void assertArrayEquals(long[] expected, long[] actual) {
        arrays(expected, actual);
    }

    public static void assertArrayEquals(float[] expected, float[] actual) {
        arrays(expected, actual);
    }

    public static void assertArrayEquals(double[] expected, double[] actual) {
        arrays(expected, actual);
    }

    public static void assertArrayEquals(Object[] expected, Object[] actual) {
        arrays(expected, actual);
    }

    public static <T extends Throwable> T assertThrows(Class<T> expected, Executable executable) {
        return thrown(expected, executable, false);
    }

    public static <T extends Throwable> T assertThrowsExactly(Class<T> expected, Executable executable) {
        return thrown(expected, executable, true);
    }

    private static <T extends Throwable> T thrown(Class<T> expected, Executable executable, boolean exactly) {
        try {
            executable.execute();
        } catch (Throwable actual) {
            if (exactly ? actual.getClass() == expected : expected.isInstance(actual)) {
                return expected.cast(actual);
            }
            AssertionFailedError error =
                    new AssertionFailedError("expected " + expected.getName() + " but " + actual + " was thrown");
            error.setStackTrace(actual.getStackTrace());
            throw error;
        }
        throw new AssertionFailedError("expected " + expected.getName() + " but nothing was thrown");
    }

    private static void compare(Object expected, Object actual) {
        check(Objects.equals(expected, actual), "expected: " + shown(expected) + " but was: " + shown(actual));
    }

    private static void arrays(Object expected, Object actual) {
        check(actual != null, "expected an array but was: <null>");
        int length = Array.getLength(actual);
        check(Array.getLength(expected) == length,
                "array lengths differ, expected: <" + Array.getLength(expected) + "> but was: <" + length + ">");
        for (int i = 0; i < length; i++) {
            Object one = Array.get(expected, i);
            Object other = Array.get(actual, i);
            if (one != null && other != null && one.getClass().isArray() && other.getClass().isArray()) {
                arrays(one, other);
            } else {
                check(Objects.equals(one, other),
                        "array contents differ at index [" + i + "], expected: " + shown(one) + " but was: " + shown(other));
            }
        }
    }

    private static void check(boolean condition, String message) {
        if (!condition) {
            throw new AssertionFailedError(message);
        }
    }

    private static String shown(Object value) {
        try {
            return "<" + value + ">";
        } catch (RuntimeException | Error problem) {
            return "an object of " + value.getClass().getName();
        }
    }
}
