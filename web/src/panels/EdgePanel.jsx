// A pair of variables: probabilities of its edges with buttons for evidence, the effect, and the paths.
import { useState } from "preact/hooks";
import { stateOf, withState } from "../model/statements.js";
import { amount, moved, probability, signed } from "../model/words.js";
import { useAnswer } from "../parts/useAnswer.js";
import { Curve } from "./Curve.jsx";

export function EdgePanel({ store, cause, effect }) {
  const { names, d, now, reference, view } = store;
  const { matrix } = now.value;
  const forward = matrix[cause * d + effect];
  const backward = matrix[effect * d + cause];
  const errors = useAnswer(store, { question: "errors" });
  const before = reference.value;
  return (
    <div>
      <h2>{names[cause]} and {names[effect]}</h2>
      <div class="edge-states">
        <Direction {...{ store, before, errors }} a={cause} b={effect} p={forward} />
        <Direction {...{ store, before, errors }} a={effect} b={cause} p={backward} />
        <p class="direction">
          <span>no edge between them</span>
          <Probability p={Math.max(0, 1 - forward - backward)} before={before && 1 - before[cause * d + effect] - before[effect * d + cause]} />
        </p>
      </div>
      <p class="small">{condition(view.value)}</p>
      <EffectPart store={store} cause={cause} effect={effect} />
    </div>
  );
}

function condition({ given, reference }) {
  if (!given.length) return "Without evidence.";
  const than = reference === "step" ? "before the last step" : "without evidence";
  return `Given what is listed above; changes are from the probabilities ${than}.`;
}

function Direction({ store, before, errors, a, b, p }) {
  const { names, d, view } = store;
  const state = stateOf(view.value.given, names[a], names[b]);
  const error = errors.answer?.matrix?.[a * d + b];
  const set = (wanted) => store.change((given) => withState(given, names[a], names[b], wanted));
  const choices = [["->", "present"], ["!->", "absent"], [null, "free"]];
  const isContext = store.start.context.includes(b);
  return (
    <div class="direction" data-edge={`${a},${b}`}>
      <span>{names[a]} → {names[b]}</span>
      <Probability p={p} before={before?.[a * d + b]} error={error} />
      <div class="choices" role="group" aria-label={`${names[a]} to ${names[b]}`}>
        {choices.map(([value, words]) => (
          <button
            type="button"
            key={words}
            data-state={words}
            aria-pressed={state === value}
            disabled={isContext}
            title={isContext ? `${names[b]} is a context variable: it has no causes here` : undefined}
            onClick={() => set(value)}
          >
            {words}
          </button>
        ))}
      </div>
    </div>
  );
}

function Probability({ p, before, error }) {
  const change = typeof before === "number" ? p - before : 0;
  return (
    <span class="number">
      <b class="probability">{probability(p)}</b>
      {error > 0 && <span class="small" title="Monte Carlo standard error"> ± {error.toFixed(3)}</span>}
      {typeof before === "number" && <span class={`change ${moved(change)}`}> {signed(change)}</span>}
    </span>
  );
}

function EffectPart({ store, cause, effect }) {
  const [turned, setTurned] = useState(false);
  const [x, y] = (turned ? [effect, cause] : [cause, effect]).map((v) => store.names[v]);
  const { answer, problem, waiting } = useAnswer(store, { question: "pair", cause: x, effect: y });
  return (
    <section aria-busy={waiting} class={waiting ? "waiting" : ""}>
      <h3>
        Effect of {x} on {y} <button type="button" onClick={() => setTurned(!turned)}>Turn around</button>
      </h3>
      {problem && <p class="small">{problem}</p>}
      {waiting && !answer && <p class="small">Being computed …</p>}
      {answer && <Effect effect={answer.effect} reason={answer.curve ? null : answer.reasons.effect} />}
      {answer?.curve && <Curve points={answer.curve.points} cause={x} effect={y} />}
      {answer?.paths?.length > 0 && <Paths paths={answer.paths} />}
      {answer?.paths?.length === 0 && <p class="small">No drawn graph has a directed path from {x} to {y}.</p>}
    </section>
  );
}

function Effect({ effect, reason }) {
  if (!effect) return reason ? <p class="small">{reason}</p> : null;
  const { about, mean, low, high, level, positive, negative, no_path: noPath } = effect;
  return (
    <>
      <p class="small">{about}</p>
      <dl class="facts">
        <dt>Mean</dt>
        <dd>{amount(mean)}, {Math.round(100 * level)}% between {amount(low)} and {amount(high)}</dd>
        <dt>Sign</dt>
        <dd>above 0: {probability(positive)}, below: {probability(negative)}</dd>
        <dt>No path</dt>
        <dd>{probability(noPath)}</dd>
      </dl>
    </>
  );
}

function Paths({ paths }) {
  const carried = paths.some(({ contribution }) => contribution !== null && contribution !== undefined);
  return (
    <table>
      <caption>Paths that carry it</caption>
      <thead>
        <tr>
          <th scope="col">Path</th>
          <th scope="col">Probability</th>
          {carried && <th scope="col">Carries</th>}
        </tr>
      </thead>
      <tbody>
        {paths.map(({ path, probability: p, contribution }) => (
          <tr key={path.join("→")}>
            <td>{path.join(" → ")}</td>
            <td>{probability(p)}</td>
            {carried && <td>{amount(contribution)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
