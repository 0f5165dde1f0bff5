package java.lang;

import everypath.Engine;

/** Strings, whose characters the engine keeps: an object of this class is the text itself and has no fields. */
public final class String implements java.io.Serializable, Comparable<String>, CharSequence {
    public static final java.util.Comparator<String> CASE_INSENSITIVE_ORDER =
            (one, other) -> one.compareToIgnoreCase(other);

    static final boolean COMPACT_STRINGS;
    static final byte LATIN1 = 0;
    static final byte UTF16 = 1;

    static {
        COMPACT_STRINGS = true;
    }

    private String() {}

    static String make() {
        return "";
    }

    static String make(String text) {
        return text.toString();
    }

    static String make(char[] characters) {
        return valueOf(characters);
    }

    static String make(char[] characters, int start, int count) {
        return valueOf(characters, start, count);
    }

    static String make(StringBuilder text) {
        return text.toString();
    }

    static String make(StringBuffer text) {
        return text.toString();
    }

    /** Bytes in one of the two encodings that the JDK uses inside. */
    static String make(byte[] bytes, byte coder) {
        char[] characters = new char[coder == 0 ? bytes.length : bytes.length / 2];
        for (int i = 0; i < characters.length; i++) {
            if (coder == 0) {
                characters[i] = (char) (bytes[i] & 0xff);
            } else {
                characters[i] = (char) (bytes[2 * i] & 0xff | (bytes[2 * i + 1] & 0xff) << 8);
            }
        }
        return valueOf(characters);
    }

    public native int length();

    /** The character at an index that is inside. */
    private native char at(int index);

    /** The part between two indices that are inside and in order. */
    private native String part(int from, int to);

    private native boolean same(String other);

    /** The first place of a text from an index on that is inside; -1 if there is none. */
    private native int find(String text, int from);

    private native String joined(String other);

    /** Whether all characters are known. */
    private native boolean known();

    private native int knownHash();

    public char charAt(int index) {
        if (index < 0 || index >= length()) {
            throw new StringIndexOutOfBoundsException();
        }
        return at(index);
    }

    public boolean isEmpty() {
        return length() == 0;
    }

    public int codePointAt(int index) {
        char high = charAt(index);
        if (high >= '\ud800' && high <= '\udbff' && index + 1 < length()) {
            char low = at(index + 1);
            if (low >= '\udc00' && low <= '\udfff') {
                return ((high - 0xd800) << 10) + (low - 0xdc00) + 0x10000;
            }
        }
        return high;
    }

    public boolean equals(Object other) {
        if (this == other) {
            return true;
        }
        return other instanceof String && same((String) other);
    }

    public boolean contentEquals(CharSequence other) {
        return same(other.toString());
    }

    public boolean equalsIgnoreCase(String other) {
        if (other == null || other.length() != length()) {
            return false;
        }
        return compareToIgnoreCase(other) == 0;
    }

    public int compareTo(String other) {
        int shared = Math.min(length(), other.length());
        for (int i = 0; i < shared; i++) {
            char mine = at(i);
            char theirs = other.at(i);
            if (mine != theirs) {
                return mine - theirs;
            }
        }
        return length() - other.length();
    }

    public int compareToIgnoreCase(String other) {
        int shared = Math.min(length(), other.length());
        for (int i = 0; i < shared; i++) {
            char mine = Character.toLowerCase(Character.toUpperCase(at(i)));
            char theirs = Character.toLowerCase(Character.toUpperCase(other.at(i)));
            if (mine != theirs) {
                return mine - theirs;
            }
        }
        return length() - other.length();
    }

    public int hashCode() {
        if (known()) {
            return knownHash();
        }
        int hash = 0;
        for (int i = 0; i < length(); i++) {
            hash = 31 * hash + at(i);
        }
        return hash;
    }

    public boolean startsWith(String prefix, int from) {
        int count = prefix.length();
        return from >= 0 && from <= length() - count && part(from, from + count).same(prefix);
    }

    public boolean startsWith(String prefix) {
        return startsWith(prefix, 0);
    }

    public boolean endsWith(String suffix) {
        return startsWith(suffix, length() - suffix.length());
    }

    public int indexOf(int character) {
        return indexOf(character, 0);
    }

    public int indexOf(int character, int from) {
        for (int i = from < 0 ? 0 : from; i < length(); i++) {
            if (at(i) == character) {
                return i;
            }
        }
        return -1;
    }

    public int lastIndexOf(int character) {
        return lastIndexOf(character, length() - 1);
    }

    public int lastIndexOf(int character, int from) {
        for (int i = Math.min(from, length() - 1); i >= 0; i--) {
            if (at(i) == character) {
                return i;
            }
        }
        return -1;
    }

    public int indexOf(String text) {
        return find(text, 0);
    }

    public int indexOf(String text, int from) {
        int start = from < 0 ? 0 : from;
        if (start >= length()) {
            return text.isEmpty() ? length() : -1;
        }
        return find(text, start);
    }

    public int lastIndexOf(String text) {
        return lastIndexOf(text, length());
    }

    public int lastIndexOf(String text, int from) {
        int count = text.length();
        for (int i = Math.min(from, length() - count); i >= 0; i--) {
            if (part(i, i + count).same(text)) {
                return i;
            }
        }
        return -1;
    }

    public boolean contains(CharSequence text) {
        return find(text.toString(), 0) >= 0;
    }

    public String substring(int from) {
        return substring(from, length());
    }

    public String substring(int from, int to) {
        if (from < 0 || to > length() || from > to) {
            throw new StringIndexOutOfBoundsException();
        }
        return part(from, to);
    }

    public CharSequence subSequence(int from, int to) {
        return substring(from, to);
    }

    public String concat(String other) {
        return joined(other.toString());
    }

    public String replace(char old, char other) {
        String made = "";
        for (int i = 0; i < length(); i++) {
            char c = at(i);
            made = made.joined(valueOf(c == old ? other : c));
        }
        return made;
    }

    public String replace(CharSequence old, CharSequence other) {
        String wanted = old.toString();
        String put = other.toString();
        String made = "";
        int start = 0;
        if (wanted.isEmpty()) {
            for (int i = 0; i < length(); i++) {
                made = made.joined(put).joined(part(i, i + 1));
            }
            return made.joined(put);
        }
        int at = find(wanted, 0);
        while (at >= 0) {
            made = made.joined(part(start, at)).joined(put);
            start = at + wanted.length();
            at = start >= length() ? -1 : find(wanted, start);
        }
        return made.joined(part(start, length()));
    }

    public String toLowerCase() {
        String made = "";
        for (int i = 0; i < length(); i++) {
            made = made.joined(valueOf(Character.toLowerCase(at(i))));
        }
        return made;
    }

    public String toUpperCase() {
        String made = "";
        for (int i = 0; i < length(); i++) {
            made = made.joined(valueOf(Character.toUpperCase(at(i))));
        }
        return made;
    }

    public String toLowerCase(java.util.Locale locale) {
        return toLowerCase();
    }

    public String toUpperCase(java.util.Locale locale) {
        return toUpperCase();
    }

    public String trim() {
        int from = 0;
        int to = length();
        while (from < to && at(from) <= ' ') {
            from++;
        }
        while (from < to && at(to - 1) <= ' ') {
            to--;
        }
        return part(from, to);
    }

    public String strip() {
        return stripLeading().stripTrailing();
    }

    public String stripLeading() {
        int from = 0;
        while (from < length() && Character.isWhitespace(at(from))) {
            from++;
        }
        return part(from, length());
    }

    public String stripTrailing() {
        int to = length();
        while (to > 0 && Character.isWhitespace(at(to - 1))) {
            to--;
        }
        return part(0, to);
    }

    public boolean isBlank() {
        for (int i = 0; i < length(); i++) {
            if (!Character.isWhitespace(at(i))) {
                return false;
            }
        }
        return true;
    }

    public String repeat(int count) {
        if (count < 0) {
            throw new IllegalArgumentException("count is negative: ".joined(valueOf(count)));
        }
        String made = "";
        for (int i = 0; i < count; i++) {
            made = made.joined(this);
        }
        return made;
    }

    public String[] split(String separator) {
        return split(separator, 0);
    }

    /** For separators that are no patterns but plain texts. */
    public String[] split(String separator, int limit) {
        String plain = plain(separator);
        String[] found = new String[0];
        if (isEmpty()) {
            return new String[] {this};
        }
        int start = 0;
        int at = find(plain, 0);
        while (at >= 0 && (limit <= 0 || found.length < limit - 1)) {
            found = added(found, part(start, at));
            start = at + plain.length();
            at = start >= length() ? -1 : find(plain, start);
        }
        found = added(found, part(start, length()));
        int count = found.length;
        if (limit == 0) {
            while (count > 1 && found[count - 1].isEmpty()) {
                count--;
            }
            if (count == 1 && found.length > 1 && found[0].isEmpty()) {
                count = 0;
            }
        }
        String[] result = new String[count];
        for (int i = 0; i < count; i++) {
            result[i] = found[i];
        }
        return result;
    }

    private static String[] added(String[] all, String more) {
        String[] longer = new String[all.length + 1];
        for (int i = 0; i < all.length; i++) {
            longer[i] = all[i];
        }
        longer[all.length] = more;
        return longer;
    }

    /** The text that a pattern without special characters matches. */
    private static native String plain(String pattern);

    public char[] toCharArray() {
        char[] made = new char[length()];
        for (int i = 0; i < made.length; i++) {
            made[i] = at(i);
        }
        return made;
    }

    public void getChars(int from, int to, char[] target, int start) {
        if (from < 0 || to > length() || from > to) {
            throw new StringIndexOutOfBoundsException();
        }
        for (int i = from; i < to; i++) {
            target[start + i - from] = at(i);
        }
    }

    public String intern() {
        return this;
    }

    public String toString() {
        return this;
    }

    public static String valueOf(Object value) {
        return value == null ? "null" : value.toString();
    }

    public static String valueOf(char[] characters) {
        return Engine.text(characters, 0, characters.length);
    }

    public static String valueOf(char[] characters, int start, int count) {
        if (start < 0 || count < 0 || start > characters.length - count) {
            throw new StringIndexOutOfBoundsException();
        }
        return Engine.text(characters, start, count);
    }

    public static String copyValueOf(char[] characters) {
        return valueOf(characters);
    }

    public static String copyValueOf(char[] characters, int start, int count) {
        return valueOf(characters, start, count);
    }

    public static String valueOf(boolean value) {
        return value ? "true" : "false";
    }

    public static native String valueOf(char value);

    public static String valueOf(int value) {
        return Engine.text((long) value);
    }

    public static String valueOf(long value) {
        return Engine.text(value);
    }

    public static String valueOf(float value) {
        return Engine.text(value);
    }

    public static String valueOf(double value) {
        return Engine.text(value);
    }

    public static String join(CharSequence separator, CharSequence... parts) {
        String made = "";
        for (int i = 0; i < parts.length; i++) {
            if (i > 0) {
                made = made.joined(separator.toString());
            }
            made = made.joined(valueOf(parts[i]));
        }
        return made;
    }

    public static String join(CharSequence separator, Iterable<? extends CharSequence> parts) {
        String made = "";
        boolean first = true;
        for (CharSequence part : parts) {
            if (!first) {
                made = made.joined(separator.toString());
            }
            first = false;
            made = made.joined(valueOf(part));
        }
        return made;
    }
}
