package java.lang;

import everypath.Engine;

/** The wrapper of a primitive type; objects that hold small values are told apart by those alone. */
public final class Character {
    private final char value;

    Character(char value) {
        this.value = value;
    }

    public static Character valueOf(char value) {
        return new Character(value);
    }

    public static boolean isDigit(char c) {
        return isDigit((int) c);
    }

    public static boolean isDigit(int c) {
        return Engine.is("isDigit", c);
    }

    public static boolean isLetter(char c) {
        return isLetter((int) c);
    }

    public static boolean isLetter(int c) {
        return Engine.is("isLetter", c);
    }

    public static boolean isAlphabetic(int c) {
        return Engine.is("isAlphabetic", c);
    }

    public static boolean isLetterOrDigit(char c) {
        return isLetterOrDigit((int) c);
    }

    public static boolean isLetterOrDigit(int c) {
        return Engine.is("isLetterOrDigit", c);
    }

    public static boolean isUpperCase(char c) {
        return isUpperCase((int) c);
    }

    public static boolean isUpperCase(int c) {
        return Engine.is("isUpperCase", c);
    }

    public static boolean isLowerCase(char c) {
        return isLowerCase((int) c);
    }

    public static boolean isLowerCase(int c) {
        return Engine.is("isLowerCase", c);
    }

    public static boolean isWhitespace(char c) {
        return isWhitespace((int) c);
    }

    public static boolean isWhitespace(int c) {
        return Engine.is("isWhitespace", c);
    }

    public static boolean isSpaceChar(char c) {
        return isSpaceChar((int) c);
    }

    public static boolean isSpaceChar(int c) {
        return Engine.is("isSpaceChar", c);
    }

    public static boolean isJavaIdentifierStart(char c) {
        return isJavaIdentifierStart((int) c);
    }

    public static boolean isJavaIdentifierStart(int c) {
        return Engine.is("isJavaIdentifierStart", c);
    }

    public static boolean isJavaIdentifierPart(char c) {
        return isJavaIdentifierPart((int) c);
    }

    public static boolean isJavaIdentifierPart(int c) {
        return Engine.is("isJavaIdentifierPart", c);
    }

    public static char toUpperCase(char c) {
        return (char) toUpperCase((int) c);
    }

    public static int toUpperCase(int c) {
        if (c < 128) {
            return c >= 'a' && c <= 'z' ? c - 32 : c;
        }
        return Engine.upper(c);
    }

    public static char toLowerCase(char c) {
        return (char) toLowerCase((int) c);
    }

    public static int toLowerCase(int c) {
        if (c < 128) {
            return c >= 'A' && c <= 'Z' ? c + 32 : c;
        }
        return Engine.lower(c);
    }

    public static int digit(char c, int radix) {
        return digit((int) c, radix);
    }

    public static int digit(int c, int radix) {
        int value = -1;
        if (c >= '0' && c <= '9') {
            value = c - '0';
        } else if (c >= 'a' && c <= 'z') {
            value = c - 'a' + 10;
        } else if (c >= 'A' && c <= 'Z') {
            value = c - 'A' + 10;
        }
        return value < radix && radix >= 2 && radix <= 36 ? value : -1;
    }

    public static int getNumericValue(char c) {
        return digit((int) c, 36);
    }

    public static String toString(char value) {
        return String.valueOf(value);
    }

    public static String toString(int point) {
        if (point >= 0 && point < 0x10000) {
            return String.valueOf((char) point);
        }
        if (point < 0 || point > 0x10ffff) {
            throw new IllegalArgumentException("Not a valid Unicode code point");
        }
        char high = (char) (0xd7c0 + (point >> 10));
        char low = (char) (0xdc00 + (point & 0x3ff));
        return String.valueOf(high).concat(String.valueOf(low));
    }
}
