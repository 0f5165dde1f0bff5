package papers;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Callers never pass null. */
@Retention(RetentionPolicy.CLASS)
public @interface NonNull {}
