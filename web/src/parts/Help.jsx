// What everything means, and the keys.
import { useEffect, useRef } from "preact/hooks";

const KEYS = [
  ["/", "find a variable"],
  ["Tab, arrow keys", "go to the graph, and from variable to variable"],
  ["E", "on a variable: go through its edges"],
  ["Enter", "choose the variable or edge"],
  ["M", "on a variable: its menu"],
  ["P, A, F", "the chosen edge is present, absent, or free; with Shift its other direction"],
  ["Ctrl-Z, Ctrl-Shift-Z", "undo and redo evidence"],
  ["Esc", "choose nothing, close messages"],
];

export function Help({ onClose, store }) {
  const dialog = useRef(null);
  useEffect(() => dialog.current.showModal(), []);
  return (
    <dialog ref={dialog} class="help" onClose={onClose} aria-labelledby="help-title">
      <h2 id="help-title">What you see</h2>
      <p>
        Every line joins two variables that may be neighbours: the thicker and darker, the more probable. Arrow heads
        have the size of the share of each direction; two heads mean that the data leave the direction open. Causes are
        above their effects as far as that is known.
      </p>
      <p>
        Click a line, and say that an edge is present or absent: all other probabilities follow
        {store.engine.kind === "report" ? ", from the draws in this file" : ", exactly"}. Blue edges have become more
        probable, orange ones less; what is gone is dashed. Positions stay, so that you see what moved.
      </p>
      <p>
        Order and ancestor constraints are in the menu of a variable: right-click it, or choose it and use its panel.
        Shift-click a second variable to see the effect of the first on it. The address has the whole view: bookmark it.
      </p>
      <table>
        <caption>Keys</caption>
        <tbody>{KEYS.map(([key, what]) => <tr key={key}><th scope="row">{key}</th><td>{what}</td></tr>)}</tbody>
      </table>
      <p class="small">orderspn {store.start.package}</p>
      <form method="dialog"><button>Close</button></form>
    </dialog>
  );
}
