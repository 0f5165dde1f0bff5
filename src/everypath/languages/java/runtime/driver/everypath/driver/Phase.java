package everypath.driver;

/** How far a test has come: it says so between its parts. */
public final class Phase {
    private static volatile String current = "arrange";

    private Phase() {}

    /** The next part begins. */
    public static void at(String phase) {
        if (phase.equals("act")) {
            Probe.taken();
        }
        current = phase;
    }

    static String current() {
        return current;
    }
}
