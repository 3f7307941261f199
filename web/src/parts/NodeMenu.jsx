// The menu of a variable: constraints that need a second variable, and ways to look at it.
import { useEffect, useRef } from "preact/hooks";

export function NodeMenu({ store, variable, x, y, onClose }) {
  const place = useRef(null);
  const name = store.names[variable];
  const { focus } = store.view.value;
  useEffect(() => {
    const { offsetWidth, offsetHeight, offsetParent, style } = place.current;
    style.left = `${Math.max(0, Math.min(x, offsetParent.clientWidth - offsetWidth))}px`;
    style.top = `${Math.max(0, Math.min(y, offsetParent.clientHeight - offsetHeight))}px`;
    place.current.querySelector("button").focus();
    const away = (event) => !event.composedPath().includes(place.current) && onClose();
    store.root.addEventListener("pointerdown", away);
    return () => store.root.removeEventListener("pointerdown", away);
  }, []);
  const pick = (relation) => () => {
    store.picking.value = { variable, relation };
    onClose();
  };
  const items = [
    ["Effect on …", pick("effect")],
    ["Is an ancestor of …", pick("~>")],
    ["Is not an ancestor of …", pick("!~>")],
    ...(store.start.orders ? [["Comes before …", pick("<")], ["Comes after …", pick(">")]] : []),
    focus === variable
      ? ["Show all", () => (store.set({ focus: null }), onClose())]
      : ["Focus on its neighbourhood", () => (store.set({ focus: variable }), onClose())],
  ];
  const onKeyDown = (event) => {
    const buttons = [...place.current.querySelectorAll("button")];
    const at = buttons.indexOf(store.root.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      buttons[(at + step + buttons.length) % buttons.length].focus();
    } else if (event.key === "Escape") {
      event.stopPropagation();
      onClose();
    }
  };
  return (
    <div
      ref={place}
      class="menu"
      role="menu"
      aria-label={`Menu of ${name}`}
      onKeyDown={onKeyDown}
    >
      <div class="menu-title">{name}</div>
      {items.map(([words, act]) => (
        <button type="button" role="menuitem" key={words} onClick={act}>{words}</button>
      ))}
    </div>
  );
}
