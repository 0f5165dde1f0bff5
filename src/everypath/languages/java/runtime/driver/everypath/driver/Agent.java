package everypath.driver;

import everypath.boot.Hits;
import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.security.ProtectionDomain;
import java.util.HashSet;
import java.util.Set;

/** Puts probes into classes of the JDK, which no loader of ours can define anew. */
public final class Agent {
    private static final String HITS = "everypath/boot/Hits";
    private static final Set<String> WATCHED = new HashSet<>();
    private static Instrumentation instrumentation;

    private Agent() {}

    /** The JVM calls this before the driver begins. */
    public static void premain(String ignored, Instrumentation given) {
        instrumentation = given;
        warmUp();
        given.addTransformer(new Transformer(), true);
    }

    /** Everything that rewriting needs is loaded before it has to do with classes that loading needs. */
    private static void warmUp() {
        String name = Code.class.getName();
        try (InputStream stream = Agent.class.getResourceAsStream("Code.class")) {
            Rewriter.rewrite(stream.readAllBytes(), name, HITS);
        } catch (IOException problem) {
            throw new IllegalStateException(problem);
        }
        isWatched(name);
        Hits.watch(null);
    }

    /** Puts probes into a class of the JDK and into those inside of it. */
    static void watch(String name) {
        if (instrumentation == null || !WATCHED.add(name)) {
            return;
        }
        try {
            Class.forName(name);
            for (Class<?> each : instrumentation.getAllLoadedClasses()) {
                if (isWatched(each.getName()) && instrumentation.isModifiableClass(each)) {
                    instrumentation.retransformClasses(each);
                }
            }
        } catch (ClassNotFoundException | UnmodifiableClassException | LinkageError problem) {
            // Without probes its tests still run; nobody knows what they reach.
            return;
        }
    }

    private static boolean isWatched(String name) {
        int nested = name.indexOf('$');
        return WATCHED.contains(nested < 0 ? name : name.substring(0, nested));
    }

    private static final class Transformer implements ClassFileTransformer {
        @Override
        public byte[] transform(
                ClassLoader loader, String name, Class<?> old, ProtectionDomain domain, byte[] bytes) {
            if (loader != null || name == null || WATCHED.isEmpty() || !isWatched(name.replace('/', '.'))) {
                return null;
            }
            return Rewriter.rewrite(bytes, name.replace('/', '.'), HITS);
        }
    }
}
