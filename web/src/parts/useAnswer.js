// The answer to a question under the present evidence, and whether it is still awaited.
import { useEffect, useState } from "preact/hooks";

export function useAnswer(store, question) {
  const { given } = store.view.value;
  const key = JSON.stringify([given, question]);
  const [state, setState] = useState({ key: null, answer: null, problem: null });
  useEffect(() => {
    if (!question) return undefined;
    let wanted = true;
    store.ask(question, given).then(
      (answer) => wanted && setState({ key, answer, problem: null }),
      (problem) => wanted && setState({ key, answer: null, problem: problem.message }),
    );
    return () => (wanted = false);
  }, [key]);
  return { ...state, waiting: Boolean(question) && state.key !== key };
}
