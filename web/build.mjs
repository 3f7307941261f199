// Builds the one file that pages, notebooks and reports run: src/orderspn/explorer/assets/explorer.js.
// Its first line has a digest of all sources, by which a test sees without Node whether the file is current.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { build } from "esbuild";

const HERE = import.meta.dirname;
const ASSETS = join(HERE, "..", "src", "orderspn", "explorer", "assets");
const LICENCES = ["preact", "@preact/signals", "@preact/signals-core", "d3-color", "d3-dispatch", "d3-drag", "d3-ease"]
  .concat(["d3-interpolate", "d3-path", "d3-selection", "d3-shape", "d3-timer", "d3-transition", "d3-zoom"]);

function sources(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function digest() {
  const files = [...sources(join(HERE, "src")), join(HERE, "build.mjs"), join(HERE, "package-lock.json")];
  const hash = createHash("sha256");
  for (const file of files.map((path) => relative(HERE, path).replaceAll("\\", "/")).sort()) {
    hash.update(`${file}\n`).update(readFileSync(join(HERE, file)));
  }
  return hash.digest("hex");
}

function licences() {
  return LICENCES.map((name) => {
    const folder = join(HERE, "node_modules", name);
    const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return `${name} ${version}\n\n${readFileSync(join(folder, "LICENSE"), "utf8").trim()}\n`;
  }).join(`\n${"-".repeat(80)}\n\n`);
}

const result = await build({
  entryPoints: [join(HERE, "src", "main.jsx")],
  bundle: true,
  charset: "utf8",
  format: "esm",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  loader: { ".css": "text" },
  minify: true,
  target: ["chrome111", "firefox115", "safari16.4"],
  write: false,
});

// A program inside an HTML element must not have what would end that element.
const program = result.outputFiles[0].text.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
mkdirSync(ASSETS, { recursive: true });
writeFileSync(join(ASSETS, "explorer.js"), `// Built from web/ by "make explorer"; sources ${digest()}\n${program}`);
writeFileSync(join(ASSETS, "LICENSES.txt"), `Libraries within explorer.js\n\n${licences()}`);
