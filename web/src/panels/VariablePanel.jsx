// One variable: its data, parent sets, ancestors and descendants, and constraints with a second variable.
import { useState } from "preact/hooks";
import { probability } from "../model/words.js";
import { useAnswer } from "../parts/useAnswer.js";
import { Distribution } from "./Distribution.jsx";

/** Ancestors and descendants that are listed, and the least probability of them. */
const LISTED = 12;
const LEAST = 0.01;

export function VariablePanel({ store, variable }) {
  const { names, start, view } = store;
  const name = names[variable];
  const isContext = start.context.includes(variable);
  const parents = useAnswer(store, isContext ? null : { question: "parents", variable: name });
  const ancestry = useAnswer(store, { question: "ancestry" });
  const focused = view.value.focus === variable;
  return (
    <div>
      <h2>{name}</h2>
      <p>
        <button type="button" onClick={() => store.set({ focus: focused ? null : variable })}>
          {focused ? "Show all" : "Focus on its neighbourhood"}
        </button>
      </p>
      <Distribution about={start.distributions?.[name]} name={name} />
      {isContext && <p class="small">A context variable: only ever a cause, never explained.</p>}
      <section class={parents.waiting ? "waiting" : ""} aria-busy={parents.waiting}>
        {!isContext && <h3>Parent sets</h3>}
        {parents.problem && <p class="small">{parents.problem}</p>}
        {parents.answer && <ParentSets sets={parents.answer.parent_sets} />}
      </section>
      <Constraint store={store} variable={variable} />
      <section class={ancestry.waiting ? "waiting" : ""} aria-busy={ancestry.waiting}>
        {ancestry.problem && <p class="small">{ancestry.problem}</p>}
        {ancestry.answer && (
          <div class="two">
            <Related store={store} title="Ancestors" of={(v) => ancestry.answer.matrix[v * store.d + variable]} />
            <Related store={store} title="Descendants" of={(v) => ancestry.answer.matrix[variable * store.d + v]} />
          </div>
        )}
      </section>
    </div>
  );
}

function ParentSets({ sets }) {
  return (
    <table class="parent-sets">
      <thead><tr><th scope="col">Parents</th><th scope="col">Probability</th></tr></thead>
      <tbody>
        {sets.map(([members, p]) => (
          <tr key={members.join()}>
            <td>{members.length ? members.join(", ") : "none"}</td>
            <td>{probability(p)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Related({ store, title, of }) {
  const found = store.names
    .map((name, v) => ({ name, v, p: of(v) }))
    .filter(({ p }) => p >= LEAST)
    .sort((one, other) => other.p - one.p);
  return (
    <div>
      <h3>{title}</h3>
      {found.length === 0 && <p class="small">None from {LEAST} on.</p>}
      <ul class="related">
        {found.slice(0, LISTED).map(({ name, v, p }) => (
          <li key={v}>
            <button type="button" class="plain" onClick={() => store.select([v])}>{name}</button> {probability(p)}
          </li>
        ))}
      </ul>
      {found.length > LISTED && <p class="small">and {found.length - LISTED} more</p>}
    </div>
  );
}

function Constraint({ store, variable }) {
  const { names, start } = store;
  const [relation, setRelation] = useState("~>");
  const [other, setOther] = useState("");
  const relations = [
    ["->", "causes"],
    ["!->", "does not cause"],
    ["~>", "is an ancestor of"],
    ["!~>", "is not an ancestor of"],
    ...(start.orders ? [["<", "comes before"], [">", "comes after"]] : []),
  ];
  const add = (event) => {
    event.preventDefault();
    if (other !== "") store.addStatement(variable, relation, Number(other));
  };
  return (
    <form class="constraint" onSubmit={add}>
      <h3>Add to what is given</h3>
      <span>{names[variable]}</span>
      <select aria-label="Relation" value={relation} onChange={(event) => setRelation(event.currentTarget.value)}>
        {relations.map(([sign, words]) => <option value={sign} key={sign}>{words}</option>)}
      </select>
      <select aria-label="Other variable" value={other} onChange={(event) => setOther(event.currentTarget.value)}>
        <option value="">…</option>
        {names.map((name, v) => v !== variable && <option value={String(v)} key={v}>{name}</option>)}
      </select>
      <button type="submit" disabled={other === ""}>Add</button>
    </form>
  );
}
