package everypath.driver;

import java.util.List;

/** A call that a search tries: a method, what it is called on (null for a static one or a constructor), its arguments. */
record Trial(String method, Recipe receiver, List<Recipe> arguments) {
    int size() {
        int size = receiver == null ? 0 : receiver.size();
        for (Recipe argument : arguments) {
            size += argument.size();
        }
        return size;
    }
}
