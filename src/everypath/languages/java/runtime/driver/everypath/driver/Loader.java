package everypath.driver;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.security.ProtectionDomain;
import java.util.List;
import java.util.Map;

/** Classes of one test: the program's and the test's own, fresh for every test, so that static state is fresh too. */
final class Loader extends ClassLoader {
    private static final ClassLoader PLATFORM = ClassLoader.getPlatformClassLoader();
    private static final ClassLoader DRIVER = Driver.class.getClassLoader();
    private final Program program;
    private final Map<String, byte[]> tests;
    private final ClassLoader junit;
    private final boolean records;

    Loader(Program program, Map<String, byte[]> tests, ClassLoader junit) {
        this(program, tests, junit, false);
    }

    /** Classes that write down their steps, if so wanted. */
    Loader(Program program, Map<String, byte[]> tests, ClassLoader junit, boolean records) {
        super(PLATFORM);
        this.records = records;
        this.program = program;
        this.tests = tests;
        this.junit = junit;
    }

    /** JUnit's classes, or those of the driver that stand for them. */
    static ClassLoader junit(List<String> jars) throws MalformedURLException {
        if (jars.isEmpty()) {
            return DRIVER;
        }
        URL[] urls = new URL[jars.size()];
        for (int i = 0; i < urls.length; i++) {
            urls[i] = new java.io.File(jars.get(i)).toURI().toURL();
        }
        return new URLClassLoader(urls, PLATFORM);
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        boolean before = Fences.trust(true);
        try {
            if (name.startsWith("everypath.driver.")) {
                return DRIVER.loadClass(name);
            }
            byte[] bytes = tests.get(name);
            if (bytes == null) {
                bytes = records ? program.recording(name) : program.rewritten(name);
            }
            if (bytes == null) {
                return junit.loadClass(name);
            }
            return defineClass(name, bytes, 0, bytes.length, (ProtectionDomain) null);
        } catch (IOException problem) {
            throw new ClassNotFoundException(name, problem);
        } finally {
            Fences.trust(before);
        }
    }

    @Override
    public InputStream getResourceAsStream(String path) {
        boolean before = Fences.trust(true);
        try {
            byte[] found = program.resource(path);
            return found == null ? super.getResourceAsStream(path) : new ByteArrayInputStream(found);
        } catch (IOException problem) {
            return null;
        } finally {
            Fences.trust(before);
        }
    }
}
