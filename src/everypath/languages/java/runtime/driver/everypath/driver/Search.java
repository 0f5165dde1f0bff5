package everypath.driver;

import everypath.boot.Hits;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * Looks for calls of a class that reach what no test reaches.
 *
 * <p>Calls are made up at random or are changes of earlier ones that were the first to reach something. One that reaches
 * a line or branch that is wanted is made smaller, then run twice more, with classes that nobody has used; if both runs
 * show the same it is told, with all that they have shown.
 */
final class Search implements Work {
    private static final int MOST_FOUND = 400;
    private static final int SHARED = 3_000;
    private static final int SHRINKS = 150;
    private static final int MOST_FAILURES = 3;
    private static final long LEAST_MILLIS = 1_500;
    private static final long CALL_MILLIS = 250;
    private final Program program;
    private final long millis;
    private final Vocabulary words;
    private final Set<String> seen;
    /** what no test reaches, and what calls have to reach to be told */
    private final Set<String> wanted;
    private final List<String> callable;
    private final List<String> own;
    private final Map<String, Inputs.Way> ways = new HashMap<>();
    private final Map<String, List<Trial>> kept = new HashMap<>();
    /** place -> how often a call that reached it could not be repeated */
    private final Map<String, Integer> failures = new HashMap<>();
    private Classes classes;
    /** why nothing more could be tried */
    private volatile Answer failure;
    private int calls;
    private int found;
    /** when something new was reached */
    private long latest;
    /** when the call that is under way has to be over, or 0 */
    private volatile long late;
    private volatile boolean stopping;

    Search(List<String> texts, Program program) {
        this.program = program;
        millis = (long) (Double.parseDouble(texts.get(0)) * 1000);
        List<String> doubles = lines(texts.get(3));
        words = new Vocabulary(lines(texts.get(2)).stream().map(Integer::valueOf).toList(),
                doubles.stream().map(Double::valueOf).toList(), texts.subList(8, texts.size()),
                new Random(Long.parseLong(texts.get(1))));
        seen = new HashSet<>(lines(texts.get(4)));
        wanted = new HashSet<>(lines(texts.get(5)));
        callable = lines(texts.get(6));
        own = lines(texts.get(7));
    }

    private static List<String> lines(String text) {
        return text.isEmpty() ? List.of() : List.of(text.split("\n"));
    }

    @Override
    public void run() throws Exception {
        ThreadGroup group = new ThreadGroup("search");
        Thread thread = new Thread(group, this::search, "main");
        thread.setDaemon(true);
        Fences.begin(program);
        long end = System.currentTimeMillis() + 2 * millis + 2_000;
        thread.start();
        long since = 0;
        while (thread.isAlive()) {
            thread.join(20);
            long limit = late;
            boolean over = limit != 0 && System.currentTimeMillis() > limit;
            if (over && !stopping) {
                stopping = true;
                since = System.currentTimeMillis();
                Probe.stop(true);
                thread.interrupt();
            } else if (stopping && limit == 0) {
                Probe.stop(false);
                stopping = false;
            }
            if (stopping && System.currentTimeMillis() > since + 1_000 || System.currentTimeMillis() > end) {
                Driver.say(new Answer().put("status", "finished").put("calls", calls));
                Runtime.getRuntime().halt(3);
            }
        }
        Probe.stop(false);
        Fences.end();
        Driver.say(failure != null ? failure : new Answer().put("status", "finished").put("calls", calls));
    }

    private void search() {
        Fences.trust(true);
        try {
            classes = new Classes(program);
            Inputs inputs = new Inputs(classes, own, words);
            List<String> methods = new ArrayList<>();
            for (String name : callable) {
                Executable member = classes.member(name);
                ways.put(name, Inputs.way(member));
                methods.add(name);
            }
            long begin = System.currentTimeMillis();
            latest = begin;
            while (!methods.isEmpty() && found < MOST_FOUND && goesOn(begin, System.currentTimeMillis())) {
                if (calls % SHARED == SHARED - 1) {
                    classes = new Classes(program);
                }
                inputs.choose();
                one(inputs, methods.get(words.below(methods.size())));
            }
        } catch (ReflectiveOperationException | LinkageError problem) {
            failure = new Answer().put("status", "failed").put("text", problem.toString());
        }
    }

    /** Whether there is time, and something is left that may be found: not where nothing was for as long as it took. */
    private boolean goesOn(long begin, long now) {
        long patience = Math.max(LEAST_MILLIS, latest - begin);
        return now < begin + millis && now < latest + patience && !wanted.isEmpty();
    }

    private void one(Inputs inputs, String method) throws ReflectiveOperationException {
        List<Trial> known = kept.getOrDefault(method, List.of());
        Trial trial;
        if (!known.isEmpty() && words.chance(0.6)) {
            trial = changed(inputs, known.get(words.below(known.size())));
        } else {
            Executable member = classes.member(method);
            boolean bare = member instanceof Constructor || Modifier.isStatic(member.getModifiers());
            Recipe receiver = bare ? null : inputs.make(new Kind(method.substring(0, method.indexOf('#')), List.of()), 0);
            if (!bare && isNull(receiver)) {
                calls++;
                return;
            }
            trial = new Trial(method, receiver, inputs.arguments(ways.get(method), 0));
        }
        Set<String> places = reachedBy(trial, classes);
        if (places == null) {
            return;
        }
        places.removeAll(seen);
        if (places.isEmpty()) {
            return;
        }
        seen.addAll(places);
        latest = System.currentTimeMillis();
        kept.computeIfAbsent(method, name -> new ArrayList<>()).add(trial);
        places.retainAll(wanted);
        if (places.isEmpty()) {
            return;
        }
        if (tell(smaller(trial, places))) {
            wanted.removeAll(places);
        } else {
            // Another call may reach them in a way that can be repeated.
            for (String place : places) {
                if (failures.merge(place, 1, Integer::sum) <= MOST_FAILURES) {
                    seen.remove(place);
                }
            }
        }
    }

    private Trial changed(Inputs inputs, Trial trial) {
        int count = trial.arguments().size() + (trial.receiver() == null ? 0 : 1);
        if (count == 0) {
            return trial;
        }
        for (int times = 1 + words.below(2); times > 0; times--) {
            int at = words.below(count);
            if (at == trial.arguments().size()) {
                Recipe receiver = inputs.changed(trial.receiver());
                trial = new Trial(trial.method(), isNull(receiver) ? trial.receiver() : receiver, trial.arguments());
            } else {
                List<Recipe> arguments = new ArrayList<>(trial.arguments());
                arguments.set(at, inputs.changed(arguments.get(at)));
                trial = new Trial(trial.method(), trial.receiver(), arguments);
            }
        }
        return trial;
    }

    private static boolean isNull(Recipe recipe) {
        return recipe.how() == Recipe.How.PLAIN && recipe.value() == null;
    }

    private Trial smaller(Trial trial, Set<String> wanted) {
        int tries = SHRINKS;
        for (boolean better = true; better && tries > 0; ) {
            better = false;
            for (Trial simple : simpler(trial)) {
                if (--tries <= 0) {
                    break;
                }
                Set<String> places = simple.size() < trial.size() ? reachedBy(simple, classes) : null;
                if (places != null && places.containsAll(wanted)) {
                    trial = simple;
                    better = true;
                    break;
                }
            }
        }
        return trial;
    }

    private static List<Trial> simpler(Trial trial) {
        List<Trial> found = new ArrayList<>();
        if (trial.receiver() != null) {
            for (Recipe simple : trial.receiver().simpler()) {
                found.add(new Trial(trial.method(), simple, trial.arguments()));
            }
        }
        for (int i = 0; i < trial.arguments().size(); i++) {
            for (Recipe simple : trial.arguments().get(i).simpler()) {
                List<Recipe> arguments = new ArrayList<>(trial.arguments());
                arguments.set(i, simple);
                found.add(new Trial(trial.method(), trial.receiver(), arguments));
            }
        }
        return found;
    }

    /** The places that a call reaches; null if its inputs cannot be made or it does not end as a test could expect. */
    private Set<String> reachedBy(Trial trial, Classes with) {
        return run(trial, with, new Making(with), new Object[1], new Throwable[1]);
    }

    private Set<String> run(Trial trial, Classes with, Making making, Object[] given, Throwable[] thrown) {
        return run(trial, with, making, given, thrown, () -> {});
    }

    private Set<String> run(
            Trial trial, Classes with, Making making, Object[] given, Throwable[] thrown, Runnable ready) {
        calls++;
        late = System.currentTimeMillis() + CALL_MILLIS;
        Fences.begin(program);
        Thread.currentThread().setContextClassLoader(with.loader());
        Set<String> places;
        Fences.trust(false);
        try {
            Object receiver = making.make(trial.receiver());
            Object[] arguments = making.all(trial.arguments());
            if (trial.receiver() != null && receiver == null) {
                return null;
            }
            Fences.trust(true);
            ready.run();
            Fences.trust(false);
            Probe.begin();
            try {
                given[0] = Making.call(with, trial.method(), receiver, arguments);
            } catch (Throwable problem) {
                thrown[0] = problem;
            }
            Hits.watch(null);
            places = new HashSet<>(Probe.taken());
        } catch (ReflectiveOperationException | RuntimeException | Error unmade) {
            return null;
        } finally {
            Fences.trust(true);
            Hits.watch(null);
            settle();
            Output.take();
        }
        boolean ends = !(thrown[0] instanceof VirtualMachineError) && !Probe.isStop(thrown[0])
                && !(thrown[0] instanceof IllegalArgumentException unfit && isUnfit(unfit));
        return ends && Fences.refused() == null ? places : null;
    }

    /** Whether reflection itself refused the arguments. */
    private static boolean isUnfit(IllegalArgumentException problem) {
        StackTraceElement[] trace = problem.getStackTrace();
        return trace.length > 0 && trace[0].getClassName().startsWith("jdk.internal.reflect.");
    }

    /** The call is over; if it was told to stop, it must be so no more. */
    private void settle() {
        late = 0;
        while (stopping) {
            try {
                Thread.sleep(1);
            } catch (InterruptedException again) {
                continue;
            }
        }
        Thread.interrupted();
    }

    /** Runs a call twice more, and tells what both runs have shown; whether that was the same. */
    private boolean tell(Trial trial) {
        String first = shown(trial);
        if (first == null || !first.equals(shown(trial))) {
            return false;
        }
        found++;
        latest = System.currentTimeMillis();
        Driver.say(new Answer().put("status", "found").put("method", trial.method()).data("shown", first));
        return true;
    }

    private String shown(Trial trial) {
        Classes fresh = new Classes(program);
        Making making = new Making(fresh);
        Object[] given = new Object[1];
        Throwable[] thrown = new Throwable[1];
        String[] before = new String[2];
        Set<String> places = run(trial, fresh, making, given, thrown, () -> {
            Described described = new Described(making.names);
            before[0] = new Told(making, described).trial(trial);
            before[1] = described.heap();
        });
        if (places == null || before[1] == null) {
            return null;
        }
        Described described = new Described(making.names);
        String outcome = thrown[0] != null ? thrown(thrown[0])
                : "[\"returned\"," + described.value(given[0]) + "]";
        making.names.keySet().forEach(described::value);
        String after = described.heap();
        if (after == null) {
            return null;
        }
        List<String> sorted = new ArrayList<>(places);
        sorted.sort(null);
        StringBuilder list = new StringBuilder();
        for (String place : sorted) {
            list.append(list.length() == 0 ? "" : ",").append(Answer.quoted(place));
        }
        return "{\"trial\":" + before[0] + ",\"before\":" + before[1] + ",\"outcome\":" + outcome + ",\"after\":" + after
                + ",\"reached\":[" + list + "]}";
    }

    /** An exception: its class, its message, and where the program threw it. */
    private String thrown(Throwable problem) {
        String message;
        try {
            message = problem.getMessage();
        } catch (RuntimeException | Error again) {
            message = null;
        }
        StackTraceElement[] trace = problem.getStackTrace();
        String owner = trace.length > 0 ? trace[0].getClassName() : "";
        int line = trace.length > 0 ? Math.max(0, trace[0].getLineNumber()) : 0;
        return "[\"thrown\"," + Answer.quoted(problem.getClass().getName()) + ","
                + (message == null ? "null" : Answer.quoted(message)) + "," + Answer.quoted(owner) + "," + line + "]";
    }
}
