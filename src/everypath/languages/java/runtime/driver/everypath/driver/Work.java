package everypath.driver;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What is to be done with a program. */
interface Work {
    void run() throws Exception;

    /** The first text says what kind of work it is. */
    static Work of(List<String> texts, Program program) {
        List<String> rest = texts.subList(1, texts.size());
        switch (texts.get(0)) {
            case "suite":
                return new SuiteRun(rest, program);
            case "search":
                return new Search(rest, program);
            default:
                return new CaseRuns(rest, program, texts.get(0).equals("recorded"));
        }
    }

    /**
     * Cases, each a class with a method `test`: compiled together, run alone, with their steps written down if so wanted.
     * Texts: class, source, and so on.
     */
    final class CaseRuns implements Work {
        private final Map<String, String> sources = new LinkedHashMap<>();
        private final Program program;
        private final boolean records;

        CaseRuns(List<String> texts, Program program, boolean records) {
            this.program = program;
            this.records = records;
            for (int i = 0; i < texts.size(); i += 2) {
                sources.put(texts.get(i), texts.get(i + 1));
            }
        }

        @Override
        public void run() throws Exception {
            Compiler.Result made;
            try (Compiler compiler = new Compiler(program.classPath(), List.of())) {
                made = compiler.compile(sources, false);
            }
            for (String name : sources.keySet()) {
                if (made.errors.containsKey(name)) {
                    Driver.say(new Answer().put("status", "uncompiled").put("text", made.errors.get(name)));
                    continue;
                }
                Loader loader = new Loader(program, made.classes, Driver.class.getClassLoader(), records);
                Runner runner = new Runner(program, loader);
                runner.run(name, List.of("test"));
                if (runner.isStuck()) {
                    // Nothing ends a thread that does not want to end; the process does.
                    Runtime.getRuntime().halt(3);
                }
            }
        }
    }

    /** A whole file of tests, as emitted: its class, its source, the names of its methods. They share their classes. */
    final class SuiteRun implements Work {
        private final List<String> texts;
        private final Program program;

        SuiteRun(List<String> texts, Program program) {
            this.texts = texts;
            this.program = program;
        }

        @Override
        public void run() throws Exception {
            Compiler.Result made;
            try (Compiler compiler = new Compiler(program.classPath(), program.junit)) {
                made = compiler.compile(Map.of(texts.get(0), texts.get(1)), true);
            }
            List<String> methods = new ArrayList<>(texts.subList(2, texts.size()));
            Answer answer = new Answer().put("warnings", made.warnings).put("errors", made.errors.values());
            answer.put("junit", program.junit.isEmpty() ? "" : program.junit.get(0));
            Driver.say(answer);
            if (made.errors.isEmpty()) {
                Loader loader = new Loader(program, made.classes, Loader.junit(program.junit));
                Runner runner = new Runner(program, loader);
                runner.run(texts.get(0), methods);
                if (runner.isStuck()) {
                    Runtime.getRuntime().halt(3);
                }
            }
        }
    }
}
