package org.junit.jupiter.api.function;

/** What an assertion about exceptions runs. */
@FunctionalInterface
public interface Executable {
    void execute() throws Throwable;
}
