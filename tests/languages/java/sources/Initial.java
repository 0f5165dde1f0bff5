package initial;

/** Classes whose initialisers fail. */
public class Initial {
    static class Refused {
        static int number = Integer.parseInt("x");

        static int get() {
            return number;
        }
    }

    static class Missing {
        static final int[] NUMBERS = null;
        static int first = NUMBERS[0];
    }

    public static int once(int number) {
        if (number > 0) {
            return Refused.get();
        }
        return 0;
    }

    public static int twice(int number) {
        try {
            return Missing.first;
        } catch (ExceptionInInitializerError error) {
            number++;
        }
        try {
            return Missing.first;
        } catch (NoClassDefFoundError error) {
            return number;
        }
    }
}
