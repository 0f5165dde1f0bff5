package newer;

/** Switches over patterns: final in Java 21, a preview in 17, whose compiler makes the same calls. */
public class Switches {
    interface Shape {}

    record Circle(int radius) implements Shape {}

    record Square(int side) implements Shape {}

    public static int area(Shape shape) {
        return switch (shape) {
            case null -> -1;
            case Circle circle && circle.radius() > 10 -> 2;
            case Circle circle -> 3 * circle.radius();
            case Square square -> square.side() + 1;
            default -> 0;
        };
    }

    public static String kind(Object value) {
        return switch (value) {
            case Integer number -> number > 5 ? "large" : "small";
            case String text -> "text";
            default -> "other";
        };
    }
}
