package everypath.driver;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes down what a call does, line by line: what classes call that were rewritten for recording.
 *
 * <p>At every line the variables of the method that is there, and every object that the methods under way can reach; kept
 * is only what has changed since the step before. Nothing of the program is called for this.
 */
public final class Recorder {
    private static final int MOST_STEPS = 400;
    private static final List<Method> METHODS = new ArrayList<>();
    /** whose steps are written down; null while nothing is */
    private static volatile Thread watched;
    private static boolean busy;
    private static int initialising;
    private static int calls;
    private static final List<Frame> FRAMES = new ArrayList<>();
    private static final List<String> STEPS = new ArrayList<>();
    private static int leftOut;
    private static Shown shown = new Shown();
    /** object -> its state as it was last written down */
    private static final Map<String, String> TOLD = new HashMap<>();

    private Recorder() {}

    /** A number for a method. */
    static synchronized int number(Method method) {
        METHODS.add(method);
        return METHODS.size() - 1;
    }

    /** What this thread does from now on is written down. */
    static void begin() {
        clear();
        watched = Thread.currentThread();
    }

    static void end() {
        watched = null;
    }

    /** Forgets everything. */
    static void clear() {
        watched = null;
        initialising = calls = leftOut = 0;
        FRAMES.clear();
        STEPS.clear();
        TOLD.clear();
        shown = new Shown();
    }

    /** Adds the steps to an answer, if there are any. */
    static void tell(Answer answer) {
        if (!STEPS.isEmpty()) {
            answer.data("steps", "[" + String.join(",", STEPS) + "]").put("left_out", leftOut);
        }
    }

    // What probes call.

    public static void hit(int high, int low) {
        Probe.hit(high, low);
    }

    public static void initialise(int ignored, int begins) {
        initialising += begins == 1 ? 1 : -1;
        Probe.initialise(ignored, begins);
    }

    public static void refuse(int ignored, int what) {
        Probe.refuse(ignored, what);
    }

    // What notes call.

    /** A method begins. */
    public static void enter(int high, int low) {
        if (isWatched()) {
            FRAMES.add(new Frame(++calls, METHODS.get(high << 15 | low)));
        }
    }

    public static void variable(int value, int number) {
        if (isWatched()) {
            top().note(number, plain(value, top().method.variables().get(number).descriptor()));
        }
    }

    public static void variable(long value, int number) {
        variable((Object) value, number);
    }

    public static void variable(float value, int number) {
        variable((Object) value, number);
    }

    public static void variable(double value, int number) {
        variable((Object) value, number);
    }

    public static void variable(Object value, int number) {
        if (isWatched()) {
            top().note(number, value);
        }
    }

    /** The variables have been told; now a line begins. */
    public static void line(int high, int low) {
        if (isWatched()) {
            top().line = high << 15 | low;
            step("");
        }
    }

    public static void returns() {
        if (isWatched()) {
            leave("\"returns\":{\"$written\":\"void\"}", null);
        }
    }

    public static void returns(int value) {
        if (isWatched()) {
            returned(plain(value, top().method.result()));
        }
    }

    public static void returns(long value) {
        returns((Object) value);
    }

    public static void returns(float value) {
        returns((Object) value);
    }

    public static void returns(double value) {
        returns((Object) value);
    }

    public static void returns(Object value) {
        if (isWatched()) {
            returned(value);
        }
    }

    /** The method is left by an exception; its class is told, since nothing of the program may be asked for its text. */
    public static void raises(Throwable thrown) {
        if (isWatched()) {
            String text = thrown.getClass().getName();
            if (!(thrown.getClass().getClassLoader() instanceof Loader) && thrown.getMessage() != null) {
                text += ": " + Shown.cut(thrown.getMessage());
            }
            // Nobody tells the variables here: they are what they were.
            top().noted = new LinkedHashMap<>(top().values);
            leave("\"raises\":" + Answer.quoted(text), null);
        }
    }

    /** Whether this counts: not what other threads do, nor class initialisers, nor what looking at objects may call. */
    private static boolean isWatched() {
        return watched == Thread.currentThread() && initialising == 0 && !busy;
    }

    private static Frame top() {
        return FRAMES.get(FRAMES.size() - 1);
    }

    private static Object plain(int value, String descriptor) {
        switch (descriptor.charAt(0)) {
            case 'Z': return value != 0;
            case 'B': return (byte) value;
            case 'C': return (char) value;
            case 'S': return (short) value;
            default: return value;
        }
    }

    private static void returned(Object value) {
        leave("\"returns\":" + shown.value(value), value);
    }

    private static void leave(String ending, Object value) {
        top().ending = value;
        step(ending);
        FRAMES.remove(FRAMES.size() - 1);
    }

    private static void step(String ending) {
        if (STEPS.size() == MOST_STEPS) {
            leftOut++;
            top().noted.clear();
            return;
        }
        busy = true;
        boolean before = Fences.trust(true);
        try {
            STEPS.add(described(top(), ending));
        } finally {
            Fences.trust(before);
            busy = false;
        }
    }

    private static String described(Frame frame, String ending) {
        List<String> parts = new ArrayList<>(List.of("\"at\":" + frame.number, "\"line\":" + frame.line));
        if (!frame.isTold) {
            frame.isTold = true;
            parts.add("\"class\":" + Answer.quoted(frame.method.cls()));
            parts.add("\"function\":" + Answer.quoted(frame.method.shown()));
            List<String> above = FRAMES.stream().limit(FRAMES.size() - 1L).map(each -> "" + each.number).toList();
            parts.add("\"above\":[" + String.join(",", above) + "]");
        }
        frame.values = frame.noted;
        frame.noted = new LinkedHashMap<>();
        Map<String, String> now = new LinkedHashMap<>();
        frame.values.forEach((name, value) -> now.put(name, shown.value(value)));
        Map<String, Object> statics = statics(frame.method.cls());
        statics.forEach((name, value) -> now.put(name, shown.value(value)));
        List<String> set = new ArrayList<>();
        now.forEach((name, text) -> {
            if (!text.equals(frame.told.get(name))) {
                set.add(Answer.quoted(name) + ":" + text);
            }
        });
        List<String> unset = frame.told.keySet().stream().filter(name -> !now.containsKey(name)).map(Answer::quoted).toList();
        frame.told = now;
        frame.statics = statics;
        List<String> heap = changed();
        if (!set.isEmpty()) {
            parts.add("\"set\":{" + String.join(",", set) + "}");
        }
        if (!unset.isEmpty()) {
            parts.add("\"unset\":[" + String.join(",", unset) + "]");
        }
        if (!heap.isEmpty()) {
            parts.add("\"heap\":{" + String.join(",", heap) + "}");
        }
        if (!ending.isEmpty()) {
            parts.add(ending);
        }
        return "{" + String.join(",", parts) + "}";
    }

    /** The objects within reach whose state is not what was last written down. */
    private static List<String> changed() {
        List<Object> roots = new ArrayList<>();
        for (int i = FRAMES.size() - 1; i >= 0; i--) {
            Frame frame = FRAMES.get(i);
            roots.addAll(frame.values.values());
            roots.addAll(frame.statics.values());
            roots.add(frame.ending);
        }
        List<String> found = new ArrayList<>();
        shown.reached(roots).forEach((name, state) -> {
            if (!state.equals(TOLD.put(name, state))) {
                found.add(Answer.quoted(name) + ":" + state);
            }
        });
        return found;
    }

    /** The static fields of a class that are no constants, by name. */
    private static Map<String, Object> statics(String cls) {
        Map<String, Object> found = new LinkedHashMap<>();
        try {
            Class<?> here = Class.forName(cls, false, watched.getContextClassLoader());
            for (Field field : here.getDeclaredFields()) {
                int flags = field.getModifiers();
                if (Modifier.isStatic(flags) && !field.isSynthetic() && !field.isEnumConstant()) {
                    field.setAccessible(true);
                    Object value = field.get(null);
                    if (!Modifier.isFinal(flags) || shown.hasState(value)) {
                        found.put(here.getSimpleName() + "." + field.getName(), value);
                    }
                }
            }
        } catch (ReflectiveOperationException | RuntimeException problem) {
            return found;
        }
        return found;
    }

    /** A method and its variables. */
    record Method(String cls, String name, String descriptor, List<Notes.Variable> variables) {
        String result() {
            return descriptor.substring(descriptor.indexOf(')') + 1);
        }

        String shown() {
            String simple = cls.substring(Math.max(cls.lastIndexOf('.'), cls.lastIndexOf('$')) + 1);
            if (name.equals("<init>")) {
                return "new " + simple;
            }
            return name.startsWith("lambda$") ? "lambda in " + simple + "." + name.split("\\$")[1] : simple + "." + name;
        }
    }

    /** A call under way. */
    private static final class Frame {
        final int number;
        final Method method;
        int line;
        boolean isTold;
        Map<String, Object> noted = new LinkedHashMap<>();
        Map<String, Object> values = Map.of();
        Map<String, Object> statics = Map.of();
        /** variable -> its value as it was last written down */
        Map<String, String> told = Map.of();
        Object ending;

        Frame(int number, Method method) {
            this.number = number;
            this.method = method;
        }

        void note(int variable, Object value) {
            noted.put(method.variables().get(variable).name(), value);
        }
    }
}
