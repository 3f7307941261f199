// The explorer in a page of its own, in a report, and as a widget of a notebook.
import { render as renderParts } from "preact";
import { openReport } from "./engines/report.js";
import { openServer } from "./engines/server.js";
import { openWidget } from "./engines/widget.js";
import { addressOf, addressOfModel } from "./model/address.js";
import { createStore } from "./model/store.js";
import { App } from "./parts/App.jsx";
import style from "./style.css";

/** Shows the explorer within an element, apart from the styles around it. Returns how to take it away again. */
async function show(element, openEngine, address, whole) {
  const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  root.adoptedStyleSheets = [sheet];
  const place = root.appendChild(document.createElement("div"));
  place.className = whole ? "place whole" : "place";
  place.textContent = "Loading the posterior …";
  try {
    const engine = await openEngine();
    const store = await createStore(engine, address, root);
    place.textContent = "";
    renderParts(<App store={store} />, place);
    return () => {
      renderParts(null, place);
      store.close();
    };
  } catch (problem) {
    place.textContent = `The explorer could not begin: ${problem.message}`;
    throw problem;
  }
}

function showPage() {
  const data = document.getElementById("orderspn-data");
  document.body.style.margin = "0";
  const element = document.body.appendChild(document.createElement("div"));
  element.id = "orderspn";
  const openEngine = data ? () => openReport(JSON.parse(data.textContent)) : openServer;
  return show(element, openEngine, addressOf(window), true);
}

/** Called by notebooks, for each place where the widget is shown. */
async function render({ model, el }) {
  const element = el.appendChild(document.createElement("div"));
  element.style.height = `${model.get("height")}px`;
  return show(element, () => openWidget(model), addressOfModel(model), false);
}

export default { render };

// A page of the explorer's own says so; in a notebook this module only waits to be asked.
if (document.body?.dataset.orderspn !== undefined) showPage();
