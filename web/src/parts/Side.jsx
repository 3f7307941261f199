// The side: what is chosen, the whole, the best graph, and a graph of one's own.
import { BestPanel } from "../panels/BestPanel.jsx";
import { EdgePanel } from "../panels/EdgePanel.jsx";
import { JudgePanel } from "../panels/JudgePanel.jsx";
import { VariablePanel } from "../panels/VariablePanel.jsx";
import { WholePanel } from "../panels/WholePanel.jsx";
import { Tabs } from "./Tabs.jsx";

const TABS = [
  ["selected", "Chosen"],
  ["whole", "Whole"],
  ["best", "Best graph"],
  ["judge", "Judge my graph"],
];

export function Side({ store }) {
  const { panel } = store.view.value;
  return (
    <section class="panels">
      <Tabs label="Panels" tabs={TABS} chosen={panel} onChoose={(name) => store.set({ panel: name })} />
      <div class="panel" role="tabpanel" data-panel={panel}>
        <Panel store={store} panel={panel} />
      </div>
    </section>
  );
}

function Panel({ store, panel }) {
  const { selected } = store.view.value;
  if (panel === "whole") return <WholePanel store={store} />;
  if (panel === "best") return <BestPanel store={store} />;
  if (panel === "judge") return <JudgePanel store={store} />;
  if (!selected) return <p class="small">Choose a variable or an edge: in the graph, in the table, or by its name.</p>;
  if (selected.length === 1) return <VariablePanel store={store} variable={selected[0]} key={selected[0]} />;
  return <EdgePanel store={store} cause={selected[0]} effect={selected[1]} key={selected.join()} />;
}
