// Evidence: statements about two variables, [first, relation, second], and their text, which Python reads as well.
export const RELATIONS = ["->", "!->", "--", "!--", "<", "~>", "!~>"];

const WORDS = {
  "->": "causes",
  "!->": "does not cause",
  "--": "is a neighbour of",
  "!--": "is not a neighbour of",
  "<": "comes before",
  "~>": "is an ancestor of",
  "!~>": "is not an ancestor of",
};

export const inWords = ([first, relation, second]) => `${first} ${WORDS[relation]} ${second}`;

const BARE = /^(?:(?!!?(?:-[->]|~>))[^\s,;"'\\])+$/u;

export function quoted(name) {
  if (BARE.test(name) && name !== "<") return name;
  return `"${name.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

export const textOf = (given) => given.map(([a, relation, b]) => `${quoted(a)} ${relation} ${quoted(b)}`).join(", ");

const TOKEN =
  /\s*(?:"(?<double>(?:[^"\\]|\\.)*)"|(?<arrow>!?->|!?~>|!?--(?![->])|(?<=\s)<(?=\s))|(?<comma>,)|(?<bare>(?:(?!!?(?:-[->]|~>))[^\s,;"'])+))/uy;

/** Reads what `textOf` wrote; null if it is anything else, or about variables that there are not. */
export function parse(text, names) {
  const tokens = [];
  TOKEN.lastIndex = 0;
  const end = text.trimEnd().length;
  while (TOKEN.lastIndex < end) {
    const match = TOKEN.exec(text);
    if (!match) return null;
    const { double, arrow, comma, bare } = match.groups;
    if (arrow) tokens.push({ arrow });
    else if (comma) tokens.push({ comma });
    else tokens.push({ name: bare ?? double.replace(/\\(.)/gu, "$1") });
  }
  const given = [];
  for (let k = 0; k < tokens.length; k += 4) {
    const [first, relation, second, comma] = tokens.slice(k, k + 4);
    const whole = names.includes(first?.name) && RELATIONS.includes(relation?.arrow) && names.includes(second?.name);
    if (!whole || (comma && !comma.comma)) return null;
    given.push([first.name, relation.arrow, second.name]);
  }
  return given;
}

const same = (one, other) => one.every((part, k) => part === other[k]);

/** The statement about the edge a -> b itself: "->", "!->" or null. */
export function stateOf(given, a, b) {
  const about = given.find(([x, relation, y]) => x === a && y === b && (relation === "->" || relation === "!->"));
  return about ? about[1] : null;
}

/** Evidence in which the edge a -> b is present ("->"), absent ("!->") or free again (null). */
export function withState(given, a, b, state) {
  const others = given.filter(([x, relation, y]) => !(x === a && y === b && (relation === "->" || relation === "!->")));
  return state ? [...others, [a, state, b]] : others;
}

export function withStatement(given, statement) {
  return given.some((own) => same(own, statement)) ? given : [...given, statement];
}

export const withoutStatement = (given, statement) => given.filter((own) => !same(own, statement));
