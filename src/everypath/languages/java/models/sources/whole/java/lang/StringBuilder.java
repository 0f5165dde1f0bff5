package java.lang;

import everypath.Engine;

/** A text that grows; the characters are those of a string. */
public final class StringBuilder implements java.io.Serializable, Comparable<StringBuilder>, CharSequence, Appendable {
    private String text;

    public StringBuilder() {
        text = "";
    }

    public StringBuilder(int capacity) {
        if (capacity < 0) {
            throw new NegativeArraySizeException(String.valueOf(capacity));
        }
        text = "";
    }

    public StringBuilder(String text) {
        this.text = text.toString();
    }

    public StringBuilder(CharSequence text) {
        this.text = text.toString();
    }

    public int length() {
        return text.length();
    }

    public int capacity() {
        return text.length() + 16;
    }

    public void ensureCapacity(int capacity) {}

    public void trimToSize() {}

    public boolean isEmpty() {
        return text.isEmpty();
    }

    public char charAt(int index) {
        checkIndex(index);
        return text.charAt(index);
    }

    private void checkIndex(int index) {
        if (index < 0 || index >= text.length()) {
            throw new StringIndexOutOfBoundsException(index);
        }
    }

    public StringBuilder append(Object value) {
        return append(String.valueOf(value));
    }

    public StringBuilder append(String value) {
        text = text.concat(value == null ? "null" : value);
        return this;
    }

    public StringBuilder append(StringBuffer value) {
        return append(String.valueOf(value));
    }

    public StringBuilder append(CharSequence value) {
        return append(String.valueOf(value));
    }

    public StringBuilder append(CharSequence value, int from, int to) {
        CharSequence given = value == null ? "null" : value;
        return append(given.subSequence(from, to).toString());
    }

    public StringBuilder append(char[] value) {
        return append(String.valueOf(value));
    }

    public StringBuilder append(char[] value, int start, int count) {
        return append(String.valueOf(value, start, count));
    }

    public StringBuilder append(boolean value) {
        return append(String.valueOf(value));
    }

    public StringBuilder append(char value) {
        text = text.concat(String.valueOf(value));
        return this;
    }

    public StringBuilder append(int value) {
        return append(Engine.text((long) value));
    }

    public StringBuilder append(long value) {
        return append(Engine.text(value));
    }

    public StringBuilder append(float value) {
        return append(Engine.text(value));
    }

    public StringBuilder append(double value) {
        return append(Engine.text(value));
    }

    public StringBuilder appendCodePoint(int point) {
        return append(Character.toString(point));
    }

    public StringBuilder delete(int from, int to) {
        int end = Math.min(to, text.length());
        if (from < 0 || from > end) {
            throw new StringIndexOutOfBoundsException();
        }
        text = text.substring(0, from).concat(text.substring(end));
        return this;
    }

    public StringBuilder deleteCharAt(int index) {
        checkIndex(index);
        text = text.substring(0, index).concat(text.substring(index + 1));
        return this;
    }

    public StringBuilder replace(int from, int to, String value) {
        int end = Math.min(to, text.length());
        if (from < 0 || from > text.length() || from > end) {
            throw new StringIndexOutOfBoundsException();
        }
        text = text.substring(0, from).concat(value).concat(text.substring(end));
        return this;
    }

    public StringBuilder insert(int at, String value) {
        if (at < 0 || at > text.length()) {
            throw new StringIndexOutOfBoundsException();
        }
        text = text.substring(0, at).concat(value == null ? "null" : value).concat(text.substring(at));
        return this;
    }

    public StringBuilder insert(int at, Object value) {
        return insert(at, String.valueOf(value));
    }

    public StringBuilder insert(int at, CharSequence value) {
        return insert(at, String.valueOf(value));
    }

    public StringBuilder insert(int at, char[] value) {
        return insert(at, String.valueOf(value));
    }

    public StringBuilder insert(int at, boolean value) {
        return insert(at, String.valueOf(value));
    }

    public StringBuilder insert(int at, char value) {
        return insert(at, String.valueOf(value));
    }

    public StringBuilder insert(int at, int value) {
        return insert(at, String.valueOf(value));
    }

    public StringBuilder insert(int at, long value) {
        return insert(at, String.valueOf(value));
    }

    public StringBuilder insert(int at, double value) {
        return insert(at, String.valueOf(value));
    }

    public int indexOf(String value) {
        return text.indexOf(value);
    }

    public int indexOf(String value, int from) {
        return text.indexOf(value, from);
    }

    public int lastIndexOf(String value) {
        return text.lastIndexOf(value);
    }

    public int lastIndexOf(String value, int from) {
        return text.lastIndexOf(value, from);
    }

    public StringBuilder reverse() {
        String made = "";
        for (int i = 0; i < text.length(); i++) {
            made = String.valueOf(text.charAt(i)).concat(made);
        }
        text = made;
        return this;
    }

    public void setCharAt(int index, char value) {
        checkIndex(index);
        text = text.substring(0, index).concat(String.valueOf(value)).concat(text.substring(index + 1));
    }

    public void setLength(int length) {
        if (length < 0) {
            throw new StringIndexOutOfBoundsException(length);
        }
        if (length <= text.length()) {
            text = text.substring(0, length);
        } else {
            text = text.concat("\0".repeat(length - text.length()));
        }
    }

    public void getChars(int from, int to, char[] target, int start) {
        text.getChars(from, to, target, start);
    }

    public String substring(int from) {
        return text.substring(from);
    }

    public String substring(int from, int to) {
        return text.substring(from, to);
    }

    public CharSequence subSequence(int from, int to) {
        return text.substring(from, to);
    }

    public int compareTo(StringBuilder other) {
        return text.compareTo(other.text);
    }

    public String toString() {
        return text;
    }
}
