// The most probable graph under the evidence.
import { ofLog, probability } from "../model/words.js";
import { useAnswer } from "../parts/useAnswer.js";

export function BestPanel({ store }) {
  const { names, index, d, now } = store;
  const { answer, problem, waiting } = useAnswer(store, { question: "best" });
  return (
    <section aria-busy={waiting} class={waiting ? "waiting" : ""}>
      <h2>The most probable graph</h2>
      {problem && <p class="small">{problem}</p>}
      {waiting && !answer && <p class="small">Being computed …</p>}
      {answer && (
        <>
          <p>
            {answer.edges.length} edges among {names.length} variables; probability{" "}
            {ofLog(answer.log_probability)}{answer.order ? ", together with its order" : ""}.
          </p>
          {answer.note && <p class="small">{answer.note}</p>}
          <p class="small">
            Graphs that observations cannot tell apart are equally good: read directions from probabilities.
          </p>
          <table>
            <thead><tr><th scope="col">Edge</th><th scope="col">Probability</th></tr></thead>
            <tbody>
              {answer.edges.map(([cause, effect]) => (
                <tr key={`${cause}→${effect}`}>
                  <td>
                    <button type="button" class="plain" onClick={() => store.select([index.get(cause), index.get(effect)])}>
                      {cause} → {effect}
                    </button>
                  </td>
                  <td>{probability(now.value.matrix[index.get(cause) * d + index.get(effect)])}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
    </section>
  );
}
