package everypath.driver;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;

/** The classes under test and what they need, read once and rewritten once, and the limits of their runs. */
final class Program {
    final boolean allowIo;
    final double seconds;
    final List<String> own;
    final List<String> libraries;
    final List<String> junit;
    private final List<Object> places = new ArrayList<>();
    private final Map<String, byte[]> classes = new HashMap<>();
    private final Map<String, byte[]> recorded = new HashMap<>();
    /** how many of the places hold classes under test */
    private int ownPlaces;

    Program(List<String> texts) throws IOException {
        allowIo = texts.get(0).equals("1");
        seconds = Double.parseDouble(texts.get(1));
        own = entries(texts.get(2));
        libraries = entries(texts.get(3));
        junit = entries(texts.get(4));
        for (String name : entries(texts.get(5))) {
            Agent.watch(name);
        }
        for (String entry : own) {
            add(entry);
        }
        ownPlaces = places.size();
        for (String entry : libraries) {
            add(entry);
        }
    }

    List<String> classPath() {
        List<String> all = new ArrayList<>(own);
        all.addAll(libraries);
        return all;
    }

    /** A class of the program with probes in it, or null; `name` is its binary name. */
    synchronized byte[] rewritten(String name) throws IOException {
        if (!classes.containsKey(name)) {
            byte[] found = resource(name.replace('.', '/') + ".class");
            classes.put(name, found == null ? null : Rewriter.rewrite(found, name));
        }
        return classes.get(name);
    }

    /** The same for a class whose steps are written down: one under test, unless it is not there. */
    synchronized byte[] recording(String name) throws IOException {
        if (!recorded.containsKey(name)) {
            byte[] found = resource(name.replace('.', '/') + ".class", places.subList(0, ownPlaces));
            recorded.put(name, found == null ? rewritten(name) : Rewriter.recording(found, name));
        }
        return recorded.get(name);
    }

    /** A file on the class path, or null. */
    byte[] resource(String path) throws IOException {
        return resource(path, places);
    }

    private static byte[] resource(String path, List<Object> places) throws IOException {
        for (Object place : places) {
            if (place instanceof File) {
                File file = new File((File) place, path);
                if (file.isFile()) {
                    return java.nio.file.Files.readAllBytes(file.toPath());
                }
                continue;
            }
            JarFile jar = (JarFile) place;
            ZipEntry entry = jar.getEntry(path);
            if (entry != null) {
                try (java.io.InputStream stream = jar.getInputStream(entry)) {
                    return stream.readAllBytes();
                }
            }
        }
        return null;
    }

    private void add(String entry) throws IOException {
        File file = new File(entry);
        if (file.isDirectory()) {
            places.add(file);
        } else if (file.isFile()) {
            places.add(new JarFile(file, false, JarFile.OPEN_READ, Runtime.version()));
        }
    }

    private static List<String> entries(String text) {
        return text.isEmpty() ? List.of() : List.of(text.split("\n"));
    }
}
