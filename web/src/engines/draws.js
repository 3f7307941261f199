// Draws of graphs as sets of bits: which of them satisfy evidence, and what is counted in those that do.
import { inflated } from "../model/arrays.js";

const ONES = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll("0", "").length);

/** Opens draws: n graphs of d variables; `pairs` are numbers cause * d + effect of edges that occur in some. */
export async function openDraws({ n, pairs, bits, places }, d) {
  const all = await inflated(bits);
  const width = Math.ceil(n / 8);
  const sets = new Map(pairs.map((pair, row) => [pair, all.subarray(row * width, (row + 1) * width)]));
  const order = places ? new Uint16Array((await inflated(places)).buffer) : null;
  return new Draws(n, d, sets, order);
}

class Draws {
  constructor(n, d, sets, order) {
    Object.assign(this, { n, d, sets, order, width: Math.ceil(n / 8), reach: null });
    this.none = new Uint8Array(this.width);
    this.everything = this.where(() => true);
  }

  /** The set of draws for which a test holds. */
  where(test) {
    const set = new Uint8Array(this.width);
    for (let k = 0; k < this.n; k += 1) if (test(k)) set[k >> 3] |= 1 << (k & 7);
    return set;
  }

  count(set) {
    let total = 0;
    for (const byte of set) total += ONES[byte];
    return total;
  }

  countBoth(one, other) {
    let total = 0;
    for (let k = 0; k < this.width; k += 1) total += ONES[one[k] & other[k]];
    return total;
  }

  and = (one, other) => one.map((byte, k) => byte & other[k]);
  or = (one, other) => one.map((byte, k) => byte | other[k]);
  not = (set) => set.map((byte, k) => this.everything[k] & ~byte);

  edge(a, b) {
    return this.sets.get(a * this.d + b) ?? this.none;
  }

  /** The set of draws in which a statement about two variables holds. */
  holds(a, relation, b) {
    const either = () => this.or(this.edge(a, b), this.edge(b, a));
    const ways = {
      "->": () => this.edge(a, b),
      "!->": () => this.not(this.edge(a, b)),
      "--": either,
      "!--": () => this.not(either()),
      "<": () => this.where((k) => this.order[k * this.d + a] < this.order[k * this.d + b]),
      "~>": () => this.descends(a).get(b) ?? this.none,
      "!~>": () => this.not(this.descends(a).get(b) ?? this.none),
    };
    return ways[relation]();
  }

  /** For each descendant of a variable the set of draws in which it is one. */
  descends(source) {
    this.reach ??= new Map();
    if (!this.reach.has(source)) this.reach.set(source, this.closure(source));
    return this.reach.get(source);
  }

  closure(source) {
    const found = new Map([[source, this.everything]]);
    const waiting = [source];
    while (waiting.length) {
      const from = waiting.pop();
      for (const [pair, set] of this.leaving(from)) {
        const to = pair % this.d;
        const before = found.get(to) ?? this.none;
        const after = this.or(before, this.and(found.get(from), set));
        if (after.some((byte, k) => byte !== before[k])) {
          found.set(to, after);
          waiting.push(to);
        }
      }
    }
    found.delete(source);
    return found;
  }

  leaving(from) {
    this.bySource ??= Map.groupBy
      ? Map.groupBy(this.sets, ([pair]) => Math.floor(pair / this.d))
      : [...this.sets].reduce((groups, entry) => {
          const key = Math.floor(entry[0] / this.d);
          return groups.set(key, [...(groups.get(key) ?? []), entry]);
        }, new Map());
    return this.bySource.get(from) ?? [];
  }

  /** Shares of the draws of a set in which each edge is present. */
  edgeShares(set) {
    const shares = new Float64Array(this.d * this.d);
    const total = this.count(set);
    for (const [pair, own] of this.sets) shares[pair] = this.countBoth(own, set) / total;
    return shares;
  }

  /** Shares of the draws of a set in which each variable is an ancestor of each other. */
  ancestorShares(set) {
    const shares = new Float64Array(this.d * this.d);
    const total = this.count(set);
    for (let source = 0; source < this.d; source += 1) {
      for (const [to, own] of this.descends(source)) shares[source * this.d + to] = this.countBoth(own, set) / total;
    }
    return shares;
  }

  /** Keys of what draws of a set have, and their shares, most frequent first. */
  frequencies(set, keyOf, most) {
    const counts = new Map();
    let total = 0;
    for (let k = 0; k < this.n; k += 1) {
      if (!(set[k >> 3] & (1 << (k & 7)))) continue;
      total += 1;
      const key = keyOf(k);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return [...counts].sort((one, other) => other[1] - one[1]).slice(0, most).map(([key, c]) => [key, c / total]);
  }

  has = (a, b, k) => Boolean(this.edge(a, b)[k >> 3] & (1 << (k & 7)));

  /** Parent sets of a variable with their shares: lists of numbers. */
  parentSets(child, set, most) {
    const causes = [...this.sets.keys()].filter((pair) => pair % this.d === child).map((p) => Math.floor(p / this.d));
    const keyOf = (k) => causes.filter((cause) => this.has(cause, child, k)).join(",");
    return this.frequencies(set, keyOf, most).map(([key, share]) => [key ? key.split(",").map(Number) : [], share]);
  }

  /** The graph that most draws of a set have, and its share. */
  mostFrequentGraph(set) {
    const pairs = [...this.sets.keys()];
    const keyOf = (k) => pairs.filter((pair) => this.sets.get(pair)[k >> 3] & (1 << (k & 7))).join(",");
    const [[key, share]] = this.frequencies(set, keyOf, 1);
    return { edges: key ? key.split(",").map((p) => [Math.floor(p / this.d), p % this.d]) : [], share };
  }

  /** Directed paths from one variable to another with the shares of draws that have them, most frequent first. */
  paths(from, to, set, most, longest = 6) {
    const total = this.count(set);
    const found = [];
    const extend = (path, own) => {
      const last = path[path.length - 1];
      if (last === to) {
        found.push({ path, probability: this.count(own) / total });
        return;
      }
      if (path.length > longest) return;
      for (const [pair, edges] of this.leaving(last)) {
        const next = pair % this.d;
        if (path.includes(next)) continue;
        const both = this.and(own, edges);
        // Paths in less than one draw of two hundred would fill the list without telling anything.
        if (this.count(both) * 200 >= total) extend([...path, next], both);
      }
    };
    extend([from], set);
    return found.sort((one, other) => other.probability - one.probability).slice(0, most);
  }
}
