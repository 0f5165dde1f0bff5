package everypath.driver;

import java.util.List;
import java.util.Random;

/** Numbers, characters and texts to try: small ones, those that the program mentions, and what is between them. */
final class Vocabulary {
    private static final String USUAL = "abcABCxyz012589 .,-+*/()[]{}=:;_#@!?\n\t\"'";
    private static final int[] EDGES = {
        Integer.MIN_VALUE, Integer.MAX_VALUE, Short.MAX_VALUE, 127, 128, 255, 256, 1000, 65_536, 1_000_000,
    };
    private static final String[] WORDS = {
        "", "a", "ab", "abc", "aba", "Hello", "hello world", "abba", "12", "-7", "3.5", "1+2", "(())", "a,b", "A1 b2", "racecar",
    };
    private final List<Integer> integers;
    private final List<Double> doubles;
    private final List<String> texts;
    private final String letters;
    final Random random;

    Vocabulary(List<Integer> integers, List<Double> doubles, List<String> texts, Random random) {
        this.integers = integers;
        this.doubles = doubles;
        this.texts = texts;
        this.random = random;
        StringBuilder found = new StringBuilder();
        integers.stream().filter(each -> each >= ' ' && each < 127).forEach(each -> found.append((char) each.intValue()));
        texts.stream().limit(40).forEach(found::append);
        letters = found.toString();
    }

    boolean chance(double share) {
        return random.nextDouble() < share;
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    int integer() {
        double which = random.nextDouble();
        if (which < 0.5) {
            return below(12) - 2;
        }
        if (which < 0.7 && !integers.isEmpty()) {
            return integers.get(below(integers.size())) + (chance(0.5) ? 0 : below(3) - 1);
        }
        if (which < 0.85) {
            return below(200) - 20;
        }
        return which < 0.95 ? EDGES[below(EDGES.length)] : random.nextInt();
    }

    long longInteger() {
        double which = random.nextDouble();
        return which < 0.9 ? integer() : which < 0.95 ? random.nextLong() : chance(0.5) ? Long.MAX_VALUE : Long.MIN_VALUE;
    }

    double number() {
        double which = random.nextDouble();
        if (which < 0.35) {
            return below(12) - 2;
        }
        if (which < 0.55 && !doubles.isEmpty()) {
            return doubles.get(below(doubles.size())) + (chance(0.6) ? 0 : below(3) - 1);
        }
        if (which < 0.7) {
            return (below(400) - 100) / 4.0;
        }
        if (which < 0.85) {
            return (below(200) - 50) / 100.0;
        }
        return which < 0.95 ? integer() : chance(0.5) ? Double.NaN : chance(0.5) ? Double.POSITIVE_INFINITY : -0.0;
    }

    char character() {
        if (!letters.isEmpty() && chance(0.4)) {
            return letters.charAt(below(letters.length()));
        }
        if (chance(0.3)) {
            return (char) ('a' + below(26));
        }
        return chance(0.95) ? USUAL.charAt(below(USUAL.length())) : (char) (chance(0.5) ? 0xe9 : below(0x3000));
    }

    String text() {
        double which = random.nextDouble();
        if (which < 0.3 && !texts.isEmpty()) {
            return texts.get(below(texts.size()));
        }
        if (which < 0.5) {
            return WORDS[below(WORDS.length)];
        }
        if (which < 0.6) {
            return Integer.toString(integer());
        }
        if (which < 0.7) {
            return text() + text();
        }
        boolean few = chance(0.5);
        char first = character();
        char second = character();
        StringBuilder text = new StringBuilder();
        for (int length = below(chance(0.2) ? 20 : 7); length > 0; length--) {
            text.append(few ? chance(0.5) ? first : second : character());
        }
        return text.toString();
    }

    /** A text that differs in one place. */
    String changed(String text) {
        if (text.isEmpty() || text.length() > 200 || chance(0.15)) {
            return text();
        }
        int at = below(text.length());
        String before = text.substring(0, at);
        String after = text.substring(at + 1);
        switch (below(5)) {
            case 0: return before + after;
            case 1: return before + character() + after;
            case 2: return before + text.charAt(at) + character() + after;
            case 3: return before + text.charAt(at) + text.charAt(at) + after;
            default: return chance(0.5) ? text + text() : text() + text;
        }
    }
}
