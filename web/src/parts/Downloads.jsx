// What can be taken away: tables, pictures, and the Python that makes the present view.
import { useRef, useState } from "preact/hooks";
import { csvOf, dotOf, jsonOf, pngOf, pythonOf, save, svgOf } from "../model/downloads.js";

export function Downloads({ store }) {
  const place = useRef(null);
  const [copied, setCopied] = useState(false);
  const graph = () => store.root.querySelector(".graph > svg");
  const name = store.start.title.replace(/\.[^.]*$/u, "").replace(/[^\p{L}\p{N}_-]+/gu, "_") || "posterior";
  const ways = [
    ["Edges as CSV", () => save(`${name}.csv`, "text/csv", csvOf(store))],
    ["View as JSON", () => save(`${name}.json`, "application/json", jsonOf(store))],
    ["Graph as DOT", () => save(`${name}.dot`, "text/vnd.graphviz", dotOf(store))],
    ["Graph as SVG", () => save(`${name}.svg`, "image/svg+xml", svgOf(graph()))],
    ["Graph as PNG", async () => save(`${name}.png`, "image/png", await pngOf(graph()))],
  ];
  const act = (way) => async () => {
    place.current.open = false;
    await Promise.resolve(way()).catch((problem) => (store.problem.value = problem.message));
  };
  const python = pythonOf(store);
  const copy = () =>
    navigator.clipboard?.writeText(python).then(() => setCopied(true), () => setCopied(false));
  return (
    <details class="downloads" ref={place}>
      <summary>Take away</summary>
      <div class="menu">
        {ways.map(([words, way]) => <button type="button" key={words} onClick={act(way)}>{words}</button>)}
        <label>
          <span>This view in Python</span>
          <textarea readOnly rows={Math.min(9, python.split("\n").length)} value={python} onFocus={(e) => e.currentTarget.select()} />
        </label>
        <button type="button" onClick={copy}>{copied ? "Copied" : "Copy the Python"}</button>
      </div>
    </details>
  );
}
