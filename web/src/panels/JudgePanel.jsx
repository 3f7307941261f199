// A graph of one's own before the posterior: dropped as a file, or written.
import { useState } from "preact/hooks";
import { amount } from "../model/words.js";
import { Facts } from "./Facts.jsx";

export function JudgePanel({ store }) {
  const [text, setText] = useState("");
  const [isolated, setIsolated] = useState(true);
  const [state, setState] = useState({ answer: null, problem: null, waiting: false });

  const judge = async (graph) => {
    setState({ answer: null, problem: null, waiting: true });
    const question = { question: "judge", graph, missing_variables: isolated ? "isolated" : "error" };
    await store.ask(question).then(
      (answer) => setState({ answer, problem: null, waiting: false }),
      (problem) => setState({ answer: null, problem: problem.message, waiting: false }),
    );
  };
  const read = async (file) => {
    if (!file) return;
    const content = await file.text();
    setText(content);
    judge(content);
  };
  const onDrop = (event) => {
    event.preventDefault();
    read(event.dataTransfer.files[0]);
  };
  return (
    <section onDragOver={(event) => event.preventDefault()} onDrop={onDrop} class="judge" aria-busy={state.waiting}>
      <h2>Judge my graph</h2>
      <p class="small">Drop a file in DOT, GML or DAGitty here, choose one, or write edges: A → B is “A -&gt; B, B -- C”.</p>
      <input
        type="file"
        accept=".dot,.gv,.gml,.dagitty,.txt"
        aria-label="A file with a graph"
        onChange={(event) => read(event.currentTarget.files[0])}
      />
      <textarea
        rows={4}
        aria-label="A graph as text"
        value={text}
        spellcheck={false}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <label>
        <input type="checkbox" checked={isolated} onChange={(event) => setIsolated(event.currentTarget.checked)} />{" "}
        variables that it does not name have no edges
      </label>
      <p>
        <button type="button" disabled={!text.trim() || state.waiting} onClick={() => judge(text)}>
          {state.waiting ? "Being judged …" : "Judge"}
        </button>
      </p>
      {state.problem && <p class="warning" role="alert">{state.problem}</p>}
      {state.answer && <Judgement answer={state.answer} />}
    </section>
  );
}

function Judgement({ answer }) {
  return (
    <div class="judgement" role="status">
      <p><b>{answer.verdict}</b>: {answer.headline}</p>
      <Facts lines={answer.lines} meanings={answer.meanings} />
      {answer.tables.map(({ title, columns, rows }) => (
        <table key={title}>
          <caption>{title}</caption>
          <thead><tr>{columns.map((name) => <th scope="col" key={name}>{name}</th>)}</tr></thead>
          <tbody>
            {rows.map((row, k) => (
              <tr key={k}>{row.map((cell, c) => <td key={c}>{typeof cell === "number" ? amount(cell) : cell}</td>)}</tr>
            ))}
          </tbody>
        </table>
      ))}
      {answer.notes.map((note) => <p class="small" key={note}>{note}</p>)}
    </div>
  );
}
