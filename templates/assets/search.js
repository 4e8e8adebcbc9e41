// @ts-check
/*
 * The search of the pages: names, numbers and the texts of errors, as they are written. A module of its own, which a page
 * loads when somebody begins to search; `find` knows no page, so that tests can ask it.
 */

/** @typedef {{kinds: string[], pages: [string, string, number, string, number][]}} Index */
/** @typedef {{address: string, title: string, kind: string, words: string, weight: number, names: string[], parts: Set<string>, head: string, text: string}} Entry */
/** @typedef {{entry: Entry, score: number, lacks: string[]}} Hit */

/** Lower case, and numbers without the marks between their digits. @param {string} text */
const plain = (text) => text.toLowerCase().replace(/(\d)[,'](?=\d{3}(?!\d))/g, "$1");

/** The words of a text, each whole and in its parts: `deepseek-ai/DeepSeek-V3.2` is one word of four parts. @param {string} text */
const words = (text) => text.match(/[\p{L}\p{N}][^\s|,;:=()[\]{}"'`<>]*/gu) || [];
/** @param {string} word */
const parts = (word) => [...word.split(/[-_/#+]+/), ...word.split(/[-_/.#+]+/)].filter(Boolean);

/** @param {Index} index @returns {Entry[]} */
export function prepare(index) {
  return index.pages.map(([address, title, kind, more, weight]) => {
    const head = plain(title), text = plain(more);
    const whole = [...words(head), ...words(text)];
    return {
      address, title, kind: index.kinds[kind], words: more, weight, head, text,
      names: [head, ...text.split(" | ")],
      parts: new Set([...whole, ...whole.flatMap(parts)]),
    };
  });
}

/** How well a word stands in an entry: whole, as a beginning, or inside; nothing where it does not. @param {Entry} entry @param {string} word */
function fits(entry, word) {
  const inTitle = entry.head.includes(word) ? 1.5 : 1;
  if (entry.parts.has(word)) return 4 * inTitle;
  if (!entry.head.includes(word) && !entry.text.includes(word)) return 0;
  for (const part of entry.parts) if (part.startsWith(word)) return 2 * inTitle;
  return word.length > 2 ? inTitle : 0;
}

/**
 * What is found, the best first: pages that have all words, else those that lack fewest. A rare word counts for more, and a
 * name that is the whole question for most.
 * @param {Entry[]} entries @param {string} question @param {number} [most] @returns {Hit[]}
 */
export function find(entries, question, most = 12) {
  const asked = plain(question).trim().replace(/\s+/g, " "), sought = [...new Set(words(asked))];
  if (!sought.length) return [];
  const rows = entries.map((entry) => sought.map((word) => fits(entry, word)));
  const rarity = sought.map((_, n) => Math.log(1 + entries.length / (1 + rows.filter((row) => row[n] >= 4).length)));
  const hits = entries.map((entry, n) => {
    const lacks = sought.filter((_, m) => !rows[n][m]);
    const sum = rows[n].reduce((all, fit, m) => all + fit * rarity[m], 0);
    const name = entry.names.indexOf(asked); // what is said first of a page says most
    const whole = name >= 0 ? 60 - Math.min(name, 30) : entry.text.includes(asked) || entry.head.includes(asked) ? 8 : 0;
    const near = sought.some((word) => entry.head.includes(word)) ? 1 + 4 / (4 + entry.head.length) : 1; // the shorter is meant
    return { entry, lacks, score: (sum * near + whole) * (0.6 + 0.4 * entry.weight) };
  });
  const kept = hits.filter((hit) => hit.lacks.length < sought.length);
  const fewest = Math.min(...kept.map((hit) => hit.lacks.length));
  return kept.filter((hit) => hit.lacks.length === fewest).sort((a, b) => b.score - a.score || (a.entry.address < b.entry.address ? -1 : 1)).slice(0, most);
}

/** The names of an entry that hold a word of the question, for whoever wonders why it was found. @param {Hit} hit @param {string} question */
export function why(hit, question) {
  const sought = words(plain(question));
  const names = hit.entry.words.split(" | ").filter((name) => sought.some((word) => plain(name).includes(word)));
  return names.slice(0, 4).join(" · ").slice(0, 160);
}

/** @param {HTMLFormElement} form @param {URL} assets */
export async function open(form, assets) {
  const input = /** @type {HTMLInputElement} */ (form.querySelector("input")), list = /** @type {HTMLElement} */ (form.querySelector(".sb-hits"));
  const status = /** @type {HTMLElement} */ (form.querySelector("[role=status]"));
  const entries = prepare(await (await fetch(new URL("search.json", assets))).json());

  function show() {
    const hits = find(entries, input.value), lacks = hits.length ? hits[0].lacks : [];
    list.replaceChildren(...hits.map((hit) => {
      const item = document.createElement("li"), link = document.createElement("a"), kind = document.createElement("small"), said = document.createElement("span");
      link.href = new URL("../" + hit.entry.address, assets).href;
      kind.textContent = hit.entry.kind;
      said.textContent = why(hit, input.value);
      link.append(kind, " ", Object.assign(document.createElement("b"), { textContent: hit.entry.title }), said);
      item.append(link);
      return item;
    }));
    list.hidden = !input.value.trim();
    if (!hits.length && !list.hidden) list.append(Object.assign(document.createElement("li"), { textContent: "Nothing is found." }));
    if (lacks.length) list.prepend(Object.assign(document.createElement("li"), { textContent: `No page has all of these words; those below lack ${lacks.join(", ")}.` }));
    status.textContent = list.hidden ? "" : `${hits.length} found`;
  }

  /** @param {KeyboardEvent} event */
  function keys(event) {
    const links = Array.from(list.querySelectorAll("a")), at = links.indexOf(/** @type {HTMLAnchorElement} */ (document.activeElement));
    if (event.key === "Escape") { list.hidden = true; input.focus(); }
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    const next = at + (event.key === "ArrowDown" ? 1 : -1);
    (next < 0 ? input : links[Math.min(next, links.length - 1)] || input).focus();
  }

  input.addEventListener("input", show);
  input.addEventListener("focus", show);
  form.addEventListener("keydown", keys);
  form.addEventListener("focusout", (event) => { if (!form.contains(/** @type {Node | null} */ (event.relatedTarget)) && event.relatedTarget) list.hidden = true; });
  document.addEventListener("click", (event) => { if (!form.contains(/** @type {Node} */ (event.target))) list.hidden = true; });
  form.addEventListener("submit", (event) => {
    const first = find(entries, input.value, 1)[0];
    event.preventDefault();
    if (first) location.href = new URL("../" + first.entry.address, assets).href;
  });
  show();
}
