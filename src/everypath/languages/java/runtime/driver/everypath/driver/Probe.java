package everypath.driver;

import everypath.boot.Hits;
import java.util.ArrayList;
import java.util.List;

/** What rewritten classes call: at each line, on each side of a branch, and before operations that are not allowed. */
public final class Probe {
    static final int MOST = Hits.MOST;
    private static final boolean[] HITS = new boolean[MOST];
    private static final int[] TOUCHED = new int[MOST];
    private static final List<String> NAMES = new ArrayList<>();
    private static int touched;
    private static int initialising;
    private static volatile boolean stopped;

    private Probe() {}

    /** A number for a place, or -1 if there are too many; `name` says what the caller is told about it. */
    static synchronized int number(String name) {
        if (NAMES.size() == MOST) {
            return -1;
        }
        NAMES.add(name);
        return NAMES.size() - 1;
    }

    /** The place was reached; its number comes in two parts. */
    public static void hit(int high, int low) {
        int place = high << 15 | low;
        if (stopped) {
            throw new Stopped();
        }
        if (!HITS[place] && initialising == 0) {
            HITS[place] = true;
            TOUCHED[touched++] = place;
        }
    }

    /** A class initialiser begins or ends: when that happens is no matter of the call, so its places do not count. */
    public static void initialise(int ignored, int begins) {
        initialising += begins == 1 ? 1 : -1;
    }

    /** The next instruction would do something that is not allowed. */
    public static void refuse(int ignored, int what) {
        if (Fences.isWatching()) {
            throw Fences.refuse(Guards.told(what));
        }
    }

    /** The places that were reached since the last call. */
    static List<String> taken() {
        List<String> names = new ArrayList<>(touched);
        for (int i = 0; i < touched; i++) {
            HITS[TOUCHED[i]] = false;
            names.add(NAMES.get(TOUCHED[i]));
        }
        touched = 0;
        for (int place : Hits.taken()) {
            names.add(NAMES.get(place));
        }
        return names;
    }

    static void begin() {
        taken();
        initialising = 0;
        Hits.watch(Thread.currentThread());
    }

    /** Whether code that goes on is to end at the next place it reaches. */
    static void stop(boolean now) {
        stopped = now;
        Hits.stop(now);
    }

    /** Whether this is how code was stopped. */
    static boolean isStop(Throwable problem) {
        return problem instanceof Stopped || problem instanceof Hits.Stopped;
    }

    /** Ends a test that runs for too long. */
    static final class Stopped extends Error {
        private static final long serialVersionUID = 1;

        Stopped() {
            super("stopped", null, false, false);
        }
    }
}
