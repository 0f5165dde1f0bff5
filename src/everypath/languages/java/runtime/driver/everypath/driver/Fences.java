package everypath.driver;

import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;

/** What code under test may not do; remembers what it tried, because it may catch the exception. */
final class Fences {
    private static final ThreadLocal<Boolean> TRUSTED = ThreadLocal.withInitial(() -> false);
    private static final ThreadGroup DRIVER = Thread.currentThread().getThreadGroup();
    private static volatile boolean watching;
    private static volatile String refused;
    private static Boolean managed;
    private static volatile List<String> classPath = List.of();

    private Fences() {}

    /** Begins to watch; what the manager of the JDK cannot do there, rewritten classes do. */
    static void begin(Program program) {
        refused = null;
        if (!program.allowIo) {
            List<String> places = new ArrayList<>(program.junit);
            places.addAll(List.of(System.getProperty("java.class.path").split(File.pathSeparator)));
            classPath = places;
            isManaged();
        }
        watching = !program.allowIo;
    }

    /** Where classes of ours and of JUnit lie. */
    static List<String> classPath() {
        return classPath;
    }

    static void end() {
        watching = false;
    }

    /** Whether the JDK can be told what is allowed, as those before 24 can. */
    static synchronized boolean isManaged() {
        if (managed == null) {
            try {
                Class.forName("everypath.driver.Manager").getMethod("install").invoke(null);
                managed = true;
            } catch (ClassNotFoundException | NoSuchMethodException | IllegalAccessException missing) {
                managed = false;
            } catch (InvocationTargetException notAllowed) {
                managed = false;
            }
        }
        return managed;
    }

    /** Whether what happens now is done by a test: not by this driver, nor by the threads of the JDK itself. */
    static boolean isWatching() {
        if (!watching || TRUSTED.get()) {
            return false;
        }
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        return group != DRIVER && group != null && group.getParent() != null;
    }

    /** What this thread does now is ours, not the test's; gives what was said before. */
    static boolean trust(boolean now) {
        boolean before = TRUSTED.get();
        TRUSTED.set(now);
        return before;
    }

    static SecurityException refuse(String what) {
        if (refused == null) {
            refused = what;
        }
        return new SecurityException("not allowed to " + what);
    }

    static String refused() {
        return refused;
    }
}
