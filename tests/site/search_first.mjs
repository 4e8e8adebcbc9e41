// What the search of the pages finds first: node search_first.mjs SCRIPT INDEX QUESTIONS, each a path.
import { readFileSync } from "node:fs";
const [script, index, questions] = process.argv.slice(2);
const { find, prepare } = await import(script);
const entries = prepare(JSON.parse(readFileSync(index, "utf8")));
const asked = JSON.parse(readFileSync(questions, "utf8"));
console.log(JSON.stringify(asked.map((text) => find(entries, text, 3).map((hit) => [hit.entry.address, hit.entry.kind, hit.lacks]))));
