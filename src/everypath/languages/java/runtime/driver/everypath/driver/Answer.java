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

    /** A value that is JSON already. */
    Answer data(String key, String json) {
        name(key);
        text.append(json);
        return this;
    }

    String text() {
        return text + "}";
    }

    /** A text as JSON has it. */
    static String quoted(String value) {
        Answer answer = new Answer();
        answer.quote(value);
        return answer.text.substring(1);
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
