package everypath.driver;

import java.io.FileDescriptor;
import java.io.FilePermission;
import java.net.SocketPermission;
import java.security.Permission;

/** The fence of JDKs that have a security manager: no files, connections, processes, and no end of the process. */
@SuppressWarnings({"removal", "deprecation"})
public final class Manager extends SecurityManager {
    private static final String HOME = System.getProperty("java.home");
    private static final String[] READABLE = {HOME, "/usr/share/zoneinfo", "/dev/urandom", "/dev/random"};

    /** Takes effect for the rest of the process. */
    public static void install() {
        System.setSecurityManager(new Manager());
    }

    @Override
    public void checkPermission(Permission permission) {
        if (!Fences.isWatching()) {
            return;
        }
        String name = permission.getName();
        if (permission instanceof FilePermission) {
            checkFile(name, permission.getActions());
        } else if (permission instanceof SocketPermission) {
            throw Fences.refuse("open a connection to " + name);
        } else if (permission instanceof RuntimePermission) {
            if (name.startsWith("exitVM")) {
                throw Fences.refuse("end the process");
            }
            if (name.equals("setSecurityManager")) {
                throw Fences.refuse("change what is allowed");
            }
            if (name.startsWith("loadLibrary.") && name.indexOf('/') >= 0 && !name.contains(HOME)) {
                throw Fences.refuse("load a native library");
            }
        }
    }

    @Override
    public void checkPermission(Permission permission, Object context) {
        checkPermission(permission);
    }

    @Override
    public void checkWrite(FileDescriptor descriptor) {
        if (Fences.isWatching()) {
            throw Fences.refuse("write to an open file");
        }
    }

    @Override
    public void checkRead(FileDescriptor descriptor) {
        if (Fences.isWatching()) {
            throw Fences.refuse("read from an open file");
        }
    }

    private static void checkFile(String name, String actions) {
        if (actions.contains("execute")) {
            throw Fences.refuse("start a process");
        }
        if (actions.contains("delete")) {
            throw Fences.refuse("delete the file " + name);
        }
        if (actions.contains("write")) {
            throw Fences.refuse("write the file " + name);
        }
        for (String readable : READABLE) {
            if (name.startsWith(readable)) {
                return;
            }
        }
        // Our own classes, and JUnit's, are loaded when they are first needed.
        for (String place : Fences.classPath()) {
            if (name.startsWith(place)) {
                return;
            }
        }
        throw Fences.refuse("read the file " + name);
    }
}
