// Asks the search of the site: node ask_site.cjs SITE QUESTION... prints the page that is first for each, as JSON.
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");

const [site, ...questions] = process.argv.slice(2);
const nothing = () => {};
const document = { addEventListener: nothing, getElementById: () => null, readyState: "loading" };
const localStorage = { setItem: nothing };
const given = { document, localStorage, _: (text) => text, _ready: nothing, SPHINX_HIGHLIGHT_ENABLED: false };
const sandbox = vm.createContext({ ...given, URLSearchParams, console });
sandbox.window = sandbox;
for (const file of ["_static/language_data.js", "_static/searchtools.js", "searchindex.js"]) {
  vm.runInContext(fs.readFileSync(path.join(site, file), "utf-8"), sandbox);
}
const search = vm.runInContext("Search", sandbox);
// the page shows the last one first
console.log(JSON.stringify(questions.map((words) => search._performSearch(...search._parseQuery(words)).at(-1)?.[0])));
