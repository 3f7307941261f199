// The evidence: what is given, how probable it is, and what answers rest on.
import { inWords, withoutStatement } from "../model/statements.js";
import { ofLog } from "../model/words.js";

export function Evidence({ store }) {
  const { view, now, start, pending } = store;
  const { given } = view.value;
  return (
    <section class="evidence" aria-label="Evidence" aria-busy={pending.value > 0}>
      <h2>Given</h2>
      {start.evidence && <p class="small">Before anything is clicked: {start.evidence}</p>}
      {given.length === 0 && <p class="small">Nothing yet. Click an edge, and say that it is present or absent.</p>}
      <ul class="statements">
        {given.map((statement) => (
          <li key={statement.join()}>
            <button
              type="button"
              class="plain"
              onClick={() => store.select([store.index.get(statement[0]), store.index.get(statement[2])])}
            >
              {inWords(statement)}
            </button>
            <button
              type="button"
              aria-label={`Remove: ${inWords(statement)}`}
              onClick={() => store.change((old) => withoutStatement(old, statement))}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      {given.length > 0 && (
        <p>
          Probability of this: <b class="evidence-probability">{ofLog(now.value.log_probability)}</b>{" "}
          <button type="button" onClick={() => store.condition([])}>Clear</button>
        </p>
      )}
      {now.value.note && <p class="small">{now.value.note}</p>}
      <Draws draws={now.value.draws} />
    </section>
  );
}

function Draws({ draws }) {
  if (!draws) return null;
  const { left, all, few } = draws;
  return (
    <p class={few ? "warning" : "small"}>
      {left.toLocaleString("en")} of {all.toLocaleString("en")} draws are left; probabilities are their shares.
      {few && " That is too few to rely on: use the live explorer (orderspn explore), or remove evidence."}
    </p>
  );
}
