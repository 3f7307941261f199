// The posterior as a whole: how it was learned, how certain it is, and warnings.
import { useAnswer } from "../parts/useAnswer.js";
import { Facts } from "./Facts.jsx";

export function WholePanel({ store }) {
  const { answer, problem, waiting } = useAnswer(store, { question: "whole" });
  return (
    <section aria-busy={waiting} class={waiting ? "waiting" : ""}>
      <h2>The posterior</h2>
      {problem && <p class="small">{problem}</p>}
      {waiting && !answer && <p class="small">Being computed …</p>}
      {answer && (
        <>
          <p>{answer.headline}</p>
          {answer.warnings.map((warning) => <p class="warning" key={warning}>{warning}</p>)}
          <ul class="words">{answer.words.map((sentence) => <li key={sentence}>{sentence}</li>)}</ul>
          <Facts lines={answer.lines} meanings={answer.meanings} />
          <details>
            <summary>Settings</summary>
            <Facts lines={answer.settings} meanings={{}} />
          </details>
        </>
      )}
    </section>
  );
}
