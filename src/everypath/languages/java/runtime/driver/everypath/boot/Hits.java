package everypath.boot;

/** What classes of the JDK itself call when they are under test: every loader sees this class. */
public final class Hits {
    /** So many places there may be at most. */
    public static final int MOST = 1 << 20;
    private static final boolean[] REACHED = new boolean[MOST];
    private static final int[] TOUCHED = new int[MOST];
    private static int touched;
    private static int initialising;
    private static volatile boolean stopped;
    /** the thread whose calls count: others use the same classes */
    private static volatile Thread watched;

    private Hits() {}

    /** The place was reached; its number comes in two parts. */
    public static void hit(int high, int low) {
        if (watched != Thread.currentThread()) {
            return;
        }
        if (stopped) {
            throw new Stopped();
        }
        int place = high << 15 | low;
        if (!REACHED[place] && initialising == 0) {
            REACHED[place] = true;
            TOUCHED[touched++] = place;
        }
    }

    /** A class initialiser begins or ends. */
    public static void initialise(int ignored, int begins) {
        if (watched == Thread.currentThread()) {
            initialising += begins == 1 ? 1 : -1;
        }
    }

    /** Nothing is refused here: code of the JDK is trusted, what it does for a test is watched elsewhere. */
    public static void refuse(int ignored, int what) {}

    /** The calls of this thread count from now on; those of none if it is null. */
    public static void watch(Thread thread) {
        watched = thread;
        initialising = 0;
    }

    /** The numbers of the places that were reached since the last call. */
    public static int[] taken() {
        Thread before = watched;
        watched = null;
        int[] places = new int[touched];
        for (int i = 0; i < touched; i++) {
            places[i] = TOUCHED[i];
            REACHED[TOUCHED[i]] = false;
        }
        touched = 0;
        watched = before;
        return places;
    }

    /** Whether code that goes on is to end at the next place it reaches. */
    public static void stop(boolean now) {
        stopped = now;
    }

    /** Ends a test that runs for too long. */
    public static final class Stopped extends Error {
        private static final long serialVersionUID = 1;

        Stopped() {
            super("stopped", null, false, false);
        }
    }
}
