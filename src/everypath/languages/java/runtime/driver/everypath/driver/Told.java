package everypath.driver;

import java.util.ArrayList;
import java.util.List;

/** A call as data: how each of its inputs is made, under the names that these have. */
final class Told {
    private final Making making;
    private final Described described;

    Told(Making making, Described described) {
        this.making = making;
        this.described = described;
    }

    String trial(Trial trial) {
        return "[" + (trial.receiver() == null ? "null" : recipe(trial.receiver())) + "," + all(trial.arguments()) + "]";
    }

    private String all(List<Recipe> recipes) {
        List<String> found = new ArrayList<>();
        for (Recipe each : recipes) {
            found.add(recipe(each));
        }
        return "[" + String.join(",", found) + "]";
    }

    private String recipe(Recipe recipe) {
        try {
            Object object = making.make(recipe);
            String value = described.value(object);
            if (recipe.how() == Recipe.How.PLAIN || recipe.how() == Recipe.How.CONSTANT) {
                return value;
            }
            List<String> steps = new ArrayList<>();
            for (Recipe.Step step : recipe.steps()) {
                steps.add("[" + Answer.quoted(step.method()) + "," + all(step.arguments()) + "]");
            }
            String text = recipe.how() == Recipe.How.BUILDER ? (String) recipe.value() : recipe.text();
            return "[\"made\"," + Answer.quoted(making.names.get(object)) + "," + Answer.quoted(recipe.how().name()) + ","
                    + Answer.quoted(recipe.kind().isArray() ? object.getClass().descriptorString() : recipe.kind().name()) + ","
                    + Answer.quoted(text) + "," + all(recipe.parts()) + ",[" + String.join(",", steps) + "]]";
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
