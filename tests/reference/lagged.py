"""Lagged tables row by row: for each row, the rows of its series that were one, two, ... steps before."""


def lagged_rows(rows, variables, lags, series=None, time=None):
    """Rows are dictionaries; the result is a list of dictionaries, sorted by series (first row first) and time."""
    order = list(dict.fromkeys(row[series] for row in rows)) if series else [None]
    found = []
    for name in order:
        own = [row for row in rows if series is None or row[series] == name]
        at = dict(enumerate(own)) if time is None else {row[time]: row for row in own}
        for moment in sorted(at):
            steps = [moment - lag for lag in range(lags + 1)]
            if all(step in at and all(at[step][v] is not None for v in variables) for step in steps):
                found.append(
                    {
                        (f"{v}[t-{lag}]" if lag else f"{v}[t]"): at[moment - lag][v]
                        for lag in range(lags + 1)
                        for v in variables
                    }
                )
    return found
