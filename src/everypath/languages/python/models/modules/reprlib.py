"""Our version of `reprlib.recursive_repr`; compiled by the front end, never imported."""

# mypy: ignore-errors


def recursive_repr(fillvalue="..."):
    def decorating_function(user_function):
        running = []

        def wrapper(self):
            for other in running:
                if other is self:
                    return fillvalue
            running.append(self)
            try:
                return user_function(self)
            finally:
                running.pop()

        return wrapper

    return decorating_function
