// Below the graph: the same as a table, as a heat map, and what moved most.
import { EdgeTable } from "./EdgeTable.jsx";
import { HeatMap } from "./HeatMap.jsx";
import { Moved } from "./Moved.jsx";
import { Tabs } from "./Tabs.jsx";

const TABS = [
  ["table", "Table of edges"],
  ["heat", "Heat map"],
  ["moved", "What moved"],
];

export function Drawer({ store }) {
  const { drawer, tall } = store.view.value;
  const other = tall === "yes" ? "no" : "yes";
  return (
    <section class="drawer">
      <div class="drawer-bar">
        <Tabs label="Other views" tabs={TABS} chosen={drawer} onChoose={(name) => store.set({ drawer: name })} />
        <button type="button" class="size" onClick={() => store.set({ tall: other })}>
          {tall === "yes" ? "Smaller" : "Larger"}
        </button>
      </div>
      <div class="drawn" role="tabpanel" data-drawer={drawer}>
        {drawer === "table" && <EdgeTable store={store} />}
        {drawer === "heat" && <HeatMap store={store} />}
        {drawer === "moved" && <Moved store={store} />}
      </div>
    </section>
  );
}
