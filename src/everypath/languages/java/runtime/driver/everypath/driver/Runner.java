package everypath.driver;

import everypath.boot.Hits;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.TimeZone;

/** Runs methods of a test class, each on a new object and in a thread of its own, and says how each ended. */
final class Runner {
    private static final long STOPPING_MILLIS = 1_000;
    private static final int PATIENCE = 3;
    private final Program program;
    private final Loader loader;
    private boolean stuck;

    Runner(Program program, Loader loader) {
        this.program = program;
        this.loader = loader;
        // As the usual build tools do for tests.
        loader.setDefaultAssertionStatus(true);
    }

    /** Whether a test goes on although it was told to stop. */
    boolean isStuck() {
        return stuck;
    }

    void run(String name, List<String> methods) throws InterruptedException {
        for (String method : methods) {
            if (stuck) {
                return;
            }
            Properties properties = (Properties) System.getProperties().clone();
            Locale locale = Locale.getDefault();
            TimeZone zone = TimeZone.getDefault();
            one(name, method);
            System.setProperties(properties);
            Locale.setDefault(locale);
            TimeZone.setDefault(zone);
            Output.take();
        }
    }

    private void one(String name, String method) throws InterruptedException {
        Throwable[] thrown = new Throwable[1];
        ThreadGroup group = new ThreadGroup("test");
        Thread thread = new Thread(group, () -> thrown[0] = call(name, method), "main");
        thread.setDaemon(true);
        thread.setContextClassLoader(loader);
        Phase.begin();
        Fences.begin(program);
        thread.start();
        boolean late = !ends(thread);
        if (late) {
            Probe.stop(true);
            thread.interrupt();
            thread.join(STOPPING_MILLIS);
            stuck = thread.isAlive();
            if (!stuck) {
                Probe.stop(false);
            }
        }
        Fences.end();
        Answer answer = new Answer().put("phase", Phase.current());
        if (Fences.refused() != null) {
            answer.put("status", "refused").put("text", Fences.refused());
        } else if (late) {
            answer.put("status", "timeout").put("text", "still running after " + shown(program.seconds) + " seconds");
        } else if (leftThread(group)) {
            answer.put("status", "refused").put("text", "start a thread that goes on");
            stuck = true;
        } else if (thrown[0] == null) {
            answer.put("status", "passed");
        } else {
            describe(thrown[0], answer);
        }
        answer.put("reached", Phase.reached());
        if (!late) {
            Recorder.tell(answer);
        }
        Driver.say(answer);
    }

    private boolean ends(Thread thread) throws InterruptedException {
        long limit = (long) (program.seconds * 1_000);
        thread.join(limit);
        if (thread.isAlive() && !hasUsed(thread, limit)) {
            // Somebody else was using the processor.
            thread.join((PATIENCE - 1) * limit);
        }
        return !thread.isAlive();
    }

    private static boolean hasUsed(Thread thread, long millis) {
        long nanos = java.lang.management.ManagementFactory.getThreadMXBean().getThreadCpuTime(thread.getId());
        return nanos >= millis * 900_000;
    }

    private static boolean leftThread(ThreadGroup group) throws InterruptedException {
        for (int i = 0; group.activeCount() > 0; i++) {
            if (i == 20) {
                return true;
            }
            Thread.sleep(5);
        }
        return false;
    }

    private Throwable call(String name, String method) {
        Hits.watch(Thread.currentThread());
        try {
            Constructor<?> constructor = Class.forName(name, true, loader).getDeclaredConstructor();
            constructor.setAccessible(true);
            Object test = constructor.newInstance();
            Method called = test.getClass().getDeclaredMethod(method);
            called.setAccessible(true);
            called.invoke(test);
            return null;
        } catch (InvocationTargetException problem) {
            return problem.getCause();
        } catch (Throwable problem) {
            return problem;
        }
    }

    /** What was thrown, and the innermost place in the program where. */
    private void describe(Throwable thrown, Answer answer) {
        boolean assertion = thrown.getClass().getName().endsWith("AssertionFailedError");
        answer.put("status", assertion ? "failed" : "error");
        String text;
        try {
            text = assertion ? String.valueOf(thrown.getMessage()) : thrown.toString();
        } catch (Throwable problem) {
            text = thrown.getClass().getName();
        }
        answer.put("text", text.substring(0, Math.min(text.length(), 500)));
        answer.put("thrown", thrown.getClass().getName());
        for (StackTraceElement element : thrown.getStackTrace()) {
            if (isOwn(element.getClassName())) {
                answer.put("class", element.getClassName()).put("line", Math.max(0, element.getLineNumber()));
                return;
            }
        }
    }

    private boolean isOwn(String name) {
        try {
            return program.resource(name.replace('.', '/') + ".class") != null;
        } catch (java.io.IOException problem) {
            return false;
        }
    }

    private static String shown(double seconds) {
        return seconds == Math.rint(seconds) ? Long.toString((long) seconds) : Double.toString(seconds);
    }
}
