package everypath.driver;

import everypath.boot.Hits;
import java.util.List;

/** How far a test has come: it says so between its parts. */
public final class Phase {
    private static volatile String current = "arrange";
    private static volatile List<String> reached;

    private Phase() {}

    /** The next part begins; what counts as reached is what the call reaches. */
    public static void at(String phase) {
        if (phase.equals("act")) {
            Probe.begin();
            Recorder.begin();
        } else if (phase.equals("assert")) {
            Recorder.end();
            Hits.watch(null);
            reached = Probe.taken();
        }
        current = phase;
    }

    static void begin() {
        Probe.begin();
        Recorder.clear();
        reached = null;
        current = "arrange";
    }

    /** The places that the call has reached so far, or has reached at all if it is over. */
    static List<String> reached() {
        return reached == null ? Probe.taken() : reached;
    }

    static String current() {
        return current;
    }
}
