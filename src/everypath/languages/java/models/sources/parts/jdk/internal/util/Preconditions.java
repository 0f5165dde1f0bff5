package jdk.internal.util;

import java.util.List;

/** The messages of failed checks, without formats. */
public class Preconditions {
    private static String outOfBoundsMessage(String kind, List<? extends Number> args) {
        if (kind.equals("checkIndex") && args.size() == 2) {
            String index = String.valueOf(args.get(0));
            return "Index ".concat(index).concat(" out of bounds for length ").concat(String.valueOf(args.get(1)));
        }
        return kind;
    }
}
