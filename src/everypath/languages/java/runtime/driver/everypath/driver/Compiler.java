package everypath.driver;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/** Compiles sources to classes without a file. */
final class Compiler implements AutoCloseable {
    private static final JavaCompiler JAVAC = ToolProvider.getSystemJavaCompiler();
    private final StandardJavaFileManager files =
            JAVAC.getStandardFileManager(null, Locale.ROOT, StandardCharsets.UTF_8);

    /** What was made of some sources: the classes by binary name, and for sources that are wrong the first error. */
    static final class Result {
        final Map<String, byte[]> classes = new HashMap<>();
        final Map<String, String> errors = new LinkedHashMap<>();
        final List<String> warnings = new ArrayList<>();
    }

    Compiler(List<String> classPath, List<String> junit) {
        List<File> entries = new ArrayList<>();
        for (String entry : classPath) {
            entries.add(new File(entry));
        }
        for (String jar : junit) {
            entries.add(new File(jar));
        }
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            entries.add(new File(entry));
        }
        try {
            files.setLocation(StandardLocation.CLASS_PATH, entries);
        } catch (IOException problem) {
            throw new IllegalArgumentException(problem);
        }
    }

    /** Compiles sources by the names of their classes; one that is wrong does not keep the others from being compiled. */
    Result compile(Map<String, String> sources, boolean lint) {
        Result result = new Result();
        Map<String, String> left = new LinkedHashMap<>(sources);
        while (!left.isEmpty()) {
            Map<String, String> errors = attempt(left, result, lint);
            if (errors.isEmpty()) {
                break;
            }
            if (!left.keySet().removeAll(errors.keySet())) {
                // Nobody in particular is to blame.
                String error = errors.values().iterator().next();
                left.keySet().forEach(name -> result.errors.put(name, error));
                break;
            }
            result.errors.putAll(errors);
            result.classes.clear();
        }
        return result;
    }

    private Map<String, String> attempt(Map<String, String> sources, Result result, boolean lint) {
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
        List<Text> units = new ArrayList<>();
        sources.forEach((name, source) -> units.add(new Text(name, source)));
        List<String> options = new ArrayList<>(List.of("-proc:none", "-implicit:none", "-g:source,lines"));
        options.add(lint ? "-Xlint:all" : "-Xlint:none");
        if (!lint) {
            options.add("-nowarn");
        }
        JAVAC.getTask(new StringWriter(), new Kept(files, result.classes), problems, options, null, units).call();
        Map<String, String> errors = new LinkedHashMap<>();
        for (Diagnostic<? extends JavaFileObject> problem : problems.getDiagnostics()) {
            String text = problem.getMessage(Locale.ROOT).replace('\n', ' ');
            if (problem.getKind() == Diagnostic.Kind.ERROR) {
                JavaFileObject source = problem.getSource();
                String name = source instanceof Text ? ((Text) source).name : "";
                errors.putIfAbsent(name, "line " + problem.getLineNumber() + ": " + text);
            } else {
                result.warnings.add("line " + problem.getLineNumber() + ": " + text);
            }
        }
        return errors;
    }

    @Override
    public void close() {
        try {
            files.close();
        } catch (IOException problem) {
            throw new IllegalStateException(problem);
        }
    }

    /** Loads the compiler by compiling what tests look like. */
    void warmUp() {
        StringBuilder methods = new StringBuilder();
        for (int i = 0; i < 20; i++) {
            methods.append("@Test @DisplayName(\"a\") void a").append(i).append("() throws Exception {\n")
                    .append("int[] xs = {1, 2}; java.util.List<String> list = new java.util.ArrayList<>();\n")
                    .append("list.add(\"a\"); assertEquals(3L, 1L + xs.length); assertNull(null);\n")
                    .append("var e = assertThrows(RuntimeException.class, () -> list.get(3));\n")
                    .append("assertEquals(\"a\" + xs.length, e.getMessage()); assertSame(list, list); }\n");
        }
        String head = "package p; import static org.junit.jupiter.api.Assertions.*;"
                + "import org.junit.jupiter.api.*; class Warm { ";
        compile(Map.of("p.Warm", head + methods + "}"), false);
    }

    private static final class Text extends SimpleJavaFileObject {
        final String name;
        private final String source;

        Text(String name, String source) {
            super(URI.create("test:///" + name.replace('.', '/') + ".java"), Kind.SOURCE);
            this.name = name;
            this.source = source;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return source;
        }
    }

    private static final class Kept extends ForwardingJavaFileManager<JavaFileManager> {
        private final Map<String, byte[]> classes;

        Kept(JavaFileManager files, Map<String, byte[]> classes) {
            super(files);
            this.classes = classes;
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("made:///" + name.replace('.', '/') + ".class"), kind) {
                @Override
                public OutputStream openOutputStream() {
                    return new ByteArrayOutputStream() {
                        @Override
                        public void close() {
                            classes.put(name, toByteArray());
                        }
                    };
                }
            };
        }
    }
}
