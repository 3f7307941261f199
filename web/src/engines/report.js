// Answers without a server: exact ones before any evidence, and under evidence shares of the draws that satisfy it.
import { inWords } from "../model/statements.js";
import { numbersOf } from "../model/arrays.js";
import { openDraws } from "./draws.js";

/** Fewer draws than this are too few for probabilities. */
export const TOO_FEW = 200;
const PARENT_SETS = 12;
const PATHS = 8;

export async function openReport(data) {
  const { start } = data;
  const draws = await openDraws(data.draws, start.names.length);
  const index = new Map(start.names.map((name, v) => [name, v]));

  let shares = null; // of all draws: what shares under evidence are compared with, because both have the same noise

  function satisfying(given) {
    let left = draws.everything;
    for (const [a, relation, b] of given) left = draws.and(left, draws.holds(index.get(a), relation, index.get(b)));
    return left;
  }

  function under(given) {
    if (given.some(([, relation]) => relation === "<") && !draws.order) {
      throw new Error("Order constraints need a posterior over orders; this one is over graphs alone.");
    }
    const set = satisfying(given);
    const left = draws.count(set);
    if (!left) {
      throw new Error(
        `None of the ${draws.n.toLocaleString("en")} draws of this report satisfies “${given.map(inWords).join(", ")}”. ` +
          "It may be impossible, or only improbable: the live explorer answers exactly (orderspn explore).",
      );
    }
    return { set, left };
  }

  const answers = {
    edges(given) {
      const { set, left } = under(given);
      return {
        matrix: draws.edgeShares(set),
        log_probability: Math.log(left / draws.n),
        draws: { left, all: draws.n, few: left < TOO_FEW },
        unconditioned: (shares ??= draws.edgeShares(draws.everything)),
        note: null,
      };
    },
    errors(given) {
      const { set, left } = under(given);
      return { matrix: draws.edgeShares(set).map((p) => Math.sqrt((p * (1 - p)) / left)) };
    },
    ancestry: (given) => ({ matrix: draws.ancestorShares(under(given).set) }),
    parents(given, { variable }) {
      const sets = draws.parentSets(index.get(variable), under(given).set, PARENT_SETS);
      return { parent_sets: sets.map(([members, share]) => [members.map((v) => start.names[v]), share]) };
    },
    pair(given, { cause, effect }) {
      const paths = draws.paths(index.get(cause), index.get(effect), under(given).set, PATHS);
      const why = "Effects under evidence need the live explorer: orderspn explore.";
      return {
        effect: null,
        curve: null,
        paths: paths.map(({ path, probability }) => ({ path: path.map((v) => start.names[v]), probability })),
        reasons: { effect: why },
      };
    },
    best(given) {
      const { edges, share } = draws.mostFrequentGraph(under(given).set);
      return {
        edges: edges.map(([a, b]) => [start.names[a], start.names[b]]),
        log_probability: Math.log(share),
        note: "The graph that most of the remaining draws have.",
      };
    },
    whole: () => data.whole,
    judge() {
      throw new Error("Judging a graph needs the live explorer: orderspn explore, or posterior.judge in Python.");
    },
    layout() {
      throw new Error("A new layout needs the live explorer: orderspn explore.");
    },
  };

  /** What is known exactly, because there is no evidence. */
  const exact = {
    edges: () => ({ matrix: numbersOf(start.edges), log_probability: 0, draws: null, note: null }),
    errors: () => ({ matrix: null }),
    ancestry: () => ({ matrix: numbersOf(data.ancestry.ancestors) }),
    parents: (_, { variable }) => ({ parent_sets: data.parents[variable] ?? [] }),
    best: () => data.best,
    pair(given, question) {
      const found = data.effects?.find((row) => row.cause === question.cause && row.effect === question.effect);
      const own = found && { ...found, about: `effect of ${found.cause} on ${found.effect}`, level: 0.9 };
      const why = own ? {} : { effect: "This report has no effects; the live explorer computes them." };
      return { ...answers.pair(given, question), effect: own ?? null, reasons: why };
    },
  };

  async function ask(question) {
    try {
      const given = question.given ?? [];
      const answer = (given.length ? null : exact[question.question]) ?? answers[question.question];
      return { seconds: 0, ...answer(given, question) };
    } catch (problem) {
      return { error: { kind: "unavailable", message: problem.message } };
    }
  }

  return { kind: "report", start, ask };
}
