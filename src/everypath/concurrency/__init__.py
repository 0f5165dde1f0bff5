"""Events, the dependence between them, and schedules that can be followed again; knows neither IR nor interpreter."""
