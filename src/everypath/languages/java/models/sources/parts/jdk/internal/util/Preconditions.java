package jdk.internal.util;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/** The messages of failed checks, without formats. */
public class Preconditions {
    private static RuntimeException outOfBounds(
            BiFunction<String, ? super List<Number>, ? extends RuntimeException> maker, String kind, Number... args) {
        if (maker != null) {
            List<Number> all = new ArrayList<>();
            for (int i = 0; i < args.length; i++) {
                all.add(args[i]);
            }
            return maker.apply(kind, all);
        }
        if (kind.equals("checkIndex")) {
            String index = String.valueOf(args[0]);
            String text = "Index ".concat(index).concat(" out of bounds for length ").concat(String.valueOf(args[1]));
            return new IndexOutOfBoundsException(text);
        }
        return new IndexOutOfBoundsException(kind);
    }

    private static String outOfBoundsMessage(String kind, List<? extends Number> args) {
        return kind;
    }
}
