package org.junit.jupiter.api;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Stands for JUnit's annotation where JUnit is not at hand. */
@Retention(RetentionPolicy.RUNTIME)
public @interface Test {}
