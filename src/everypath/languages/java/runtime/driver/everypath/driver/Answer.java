package everypath.driver;

import java.util.Collection;

/** One line of JSON in the making. */
final class Answer {
    private final StringBuilder text = new StringBuilder("{");

    Answer put(String key, String value) {
        name(key);
        quote(value);
        return this;
    }

    Answer put(String key, long value) {
        name(key);
        text.append(value);
        return this;
    }

    Answer put(String key, Collection<String> values) {
        name(key);
        text.append('[');
        String comma = "";
        for (String value : values) {
            text.append(comma);
            quote(value);
            comma = ",";
        }
        text.append(']');
        return this;
    }

    String text() {
        return text + "}";
    }

    private void name(String key) {
        if (text.length() > 1) {
            text.append(',');
        }
        quote(key);
        text.append(':');
    }

    private void quote(String value) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c < ' ' || c > '~') {
                text.append(String.format("\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
        text.append('"');
    }
}
