// @ts-check
/* Rearranges what the HTML already holds: sorts, filters, opens what an address names. */
(function () {
  "use strict";

  const narrow = matchMedia("(max-width: 44.9375em)").matches;
  /** @param {string} selector @param {ParentNode} [within] @returns {HTMLElement[]} */
  const all = (selector, within = document) => Array.from(within.querySelectorAll(selector));
  /** @param {string} name */
  const asked = (name) => new URLSearchParams(location.search).get(name) || "";
  /** What is asked goes on to the next GPU. */
  const carry = () => all(".sb-facets a").forEach((a) => { /** @type {HTMLAnchorElement} */ (a).search = location.search; });
  /** @param {HTMLElement} element @returns {HTMLTableElement | null} */
  const tableAfter = (element) => element.nextElementSibling && element.nextElementSibling.querySelector("table");

  /** @param {string} name @param {string} value */
  function remember(name, value) {
    const url = new URL(location.href);
    if (value) url.searchParams.set(name, value); else url.searchParams.delete(name);
    try { history.replaceState(null, "", url); } catch { /* a file has none */ }
    carry();
  }

  /* --- search: its module and its index come when somebody begins to ask --- */

  const assets = new URL(".", /** @type {HTMLScriptElement} */ (document.currentScript).src);

  /** @param {HTMLFormElement} form */
  function searchable(form) {
    const input = /** @type {HTMLInputElement} */ (form.querySelector("input"));
    form.hidden = false;
    form.addEventListener("focusin", () => import(new URL("search.js", assets).href).then((search) => search.open(form, assets)), { once: true });
    form.addEventListener("submit", (event) => event.preventDefault());
    document.addEventListener("keydown", (event) => {
      const typing = event.target instanceof Element && event.target.closest("input, textarea, select");
      if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) event.preventDefault(), input.focus();
    });
  }

  /* --- tables: order and filter --- */

  /** @param {HTMLTableRowElement} row @param {number} column */
  function at(row, column) { // a cell over several columns says what none of them can
    let left = 0;
    const cell = Array.from(row.cells).find((one) => (left += one.colSpan) > column);
    return cell && cell.colSpan === 1 ? cell.dataset.value ?? (cell.textContent || "").trim() : "";
  }

  /** @param {string} a @param {string} b @param {boolean} descending */
  function compare(a, b, descending) {
    if (a === "" || b === "") return Number(a === "") - Number(b === ""); // the unknown comes last, either way
    const order = isNaN(Number(a)) || isNaN(Number(b)) ? a.localeCompare(b, "en", { numeric: true }) : Number(a) - Number(b);
    return descending ? -order : order;
  }

  /** @param {HTMLTableElement} table @param {HTMLElement} header @param {number} column @param {boolean} descending */
  function sort(table, header, column, descending) {
    all("thead th", table).forEach((th) => th.removeAttribute("aria-sort"));
    header.setAttribute("aria-sort", descending ? "descending" : "ascending");
    Array.from(table.tBodies[0].rows)
      .map((row) => ({ row, key: at(row, column) }))
      .sort((a, b) => compare(a.key, b.key, descending))
      .forEach((item) => table.tBodies[0].appendChild(item.row));
  }

  /** @param {HTMLTableElement} table */
  function sortable(table) {
    Array.from(table.rows[0].cells).forEach((header, column) => {
      const name = (header.textContent || "").trim(), kept = "kept" in table.dataset, button = document.createElement("button");
      if (header.querySelector("a") || !name) return;
      button.type = "button";
      button.className = "sb-sort";
      button.append(...header.childNodes);
      header.append(button);
      button.addEventListener("click", () => {
        const descending = header.getAttribute("aria-sort") === "ascending";
        sort(table, header, column, descending);
        if (kept) remember("sort", (descending ? "-" : "") + name);
      });
      if (kept && asked("sort").replace("-", "") === name) sort(table, header, column, asked("sort")[0] === "-");
    });
  }

  /**
   * Whether a row meets a choice: one of the words of its `data-NAME`, of which a star is any, or, in a matrix, the state of its cells.
   * @param {HTMLTableRowElement} row @param {Record<string, string>} chosen @param {HTMLTableElement} table
   */
  function meets(row, chosen, table) {
    if (table.classList.contains("sb-matrix")) {
      const column = all("thead th", table).findIndex((th) => th.dataset.engine === chosen.engine);
      const cells = column > 0 ? [row.cells[column]] : Array.from(row.cells).slice(1);
      const word = chosen.state.replaceAll("-", " ");
      return !word || cells.some((cell) => new RegExp("\\S " + word).test(cell.textContent || ""));
    }
    return Object.entries(chosen).every(([name, value]) => !value || row.dataset[name] === "*" || (row.dataset[name] || "").split(" ").includes(value));
  }

  /** @param {HTMLElement} box */
  function filterable(box) {
    const table = tableAfter(box);
    if (!table) return;
    const input = /** @type {HTMLInputElement} */ (box.querySelector("input"));
    const selects = /** @type {HTMLSelectElement[]} */ (all("select", box));
    const rows = Array.from(table.tBodies[0].rows);
    const texts = rows.map((row) => (row.textContent + (row.dataset.words || "")).toLowerCase());
    function apply() {
      const words = input.value.toLowerCase().split(/\s+/);
      const chosen = Object.fromEntries(selects.map((select) => [select.name, select.value]));
      all("tr.sb-opened", table || document).forEach((row) => row.remove());
      rows.forEach((row, n) => {
        row.hidden = !words.every((word) => texts[n].includes(word)) || !meets(row, chosen, /** @type {HTMLTableElement} */ (table));
      });
      if (table && table.classList.contains("sb-matrix")) pick(table, chosen.engine);
      const output = box.querySelector("output");
      if (output) output.value = rows.filter((row) => !row.hidden).length + " of " + rows.length;
    }
    box.hidden = false;
    [input, ...selects].forEach((one) => {
      one.value = asked(one.name);
      if (one instanceof HTMLSelectElement && one.selectedIndex < 0) one.value = "";
      if (!one.value && one.name === "engine" && narrow && table.classList.contains("sb-matrix")) /** @type {HTMLSelectElement} */ (one).selectedIndex = 1;
      one.addEventListener("input", () => { apply(); remember(one.name, one.value.trim()); });
    });
    apply();
  }

  /* --- the matrix --- */

  /** On a narrow screen one engine is shown. @param {HTMLTableElement} table @param {string} engine */
  function pick(table, engine) {
    const heads = all("thead th", table), column = Math.max(1, heads.findIndex((th) => th.dataset.engine === engine));
    table.classList.add("sb-one");
    Array.from(table.rows).forEach((row) => Array.from(row.cells).forEach((cell, n) => cell.classList.toggle("sb-picked", n === column)));
    table.dataset.shown = (heads[column].querySelector("a") || heads[column]).textContent || "";
  }

  /** The row below a cell with the reason that the cell refers to. @param {HTMLAnchorElement} link */
  function toggle(link) {
    const row = /** @type {HTMLTableRowElement} */ (link.closest("tr")), table = /** @type {HTMLTableElement} */ (link.closest("table"));
    const open = link.getAttribute("aria-expanded") === "true";
    all("[aria-expanded=true]", table).forEach((one) => one.setAttribute("aria-expanded", "false"));
    all("tr.sb-opened", table).forEach((one) => one.remove());
    const reason = document.getElementById(link.hash.slice(1)), cell = /** @type {HTMLTableCellElement} */ (link.closest("td"));
    if (open || !reason) return;
    const engine = all("thead th", table)[cell.cellIndex], model = /** @type {HTMLAnchorElement} */ (row.cells[0].querySelector("a"));
    const shown = table.insertRow(row.rowIndex + 1), panel = shown.insertCell(), chain = document.createElement("a");
    const single = cell.querySelectorAll("a").length === 1;
    table.tBodies[0].insertBefore(shown, row.nextSibling);
    shown.className = "sb-opened";
    panel.colSpan = row.cells.length;
    panel.append(...Array.from(reason.childNodes, (node) => node.cloneNode(true)));
    panel.prepend(model.textContent + " on " + (engine.querySelector("a") || engine).textContent + ": ");
    chain.href = model.href + "#" + (single ? `${engine.dataset.engine}${table.dataset.place}` : `on-${engine.dataset.engine}`);
    chain.textContent = "The whole chain, and what would change it";
    chain.className = "sb-whole";
    panel.append(" ", chain);
    link.setAttribute("aria-expanded", "true");
    shown.scrollIntoView({ block: "nearest" });
  }

  /** One stop for the tab key; arrows go from cell to cell. @param {HTMLTableElement} table */
  function keyboard(table) {
    const links = /** @type {HTMLAnchorElement[]} */ (all("tbody td a[href^='#r']", table));
    links.forEach((link, n) => { link.tabIndex = n ? -1 : 0; link.setAttribute("aria-expanded", "false"); });
    table.addEventListener("click", (event) => {
      const link = event.target instanceof Element && /** @type {HTMLAnchorElement | null} */ (event.target.closest("td > a[href^='#r']"));
      if (link) event.preventDefault(), move(link), toggle(link);
    });
    table.addEventListener("keydown", (event) => {
      const link = document.activeElement, cell = link && link.closest("td");
      if (!cell || !(link instanceof HTMLAnchorElement) || link.tabIndex < 0 || !link.hash.startsWith("#r")) return;
      const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
      if (event.key === "Escape" && link.getAttribute("aria-expanded") === "true") toggle(link);
      if (!step) return;
      event.preventDefault();
      const rows = Array.from(table.tBodies[0].rows).filter((row) => !row.hidden && !row.classList.contains("sb-opened"));
      const row = rows[rows.indexOf(/** @type {HTMLTableRowElement} */ (cell.parentElement)) + step[0]];
      const next = row && row.cells[cell.cellIndex + step[1]];
      const target = next && /** @type {HTMLAnchorElement | null} */ (next.querySelector("a[href^='#r']"));
      if (target) move(target);
    });
    /** @param {HTMLAnchorElement} link */
    function move(link) {
      all("td a[tabindex='0']", table).forEach((one) => { one.tabIndex = -1; });
      link.tabIndex = 0;
      link.focus();
    }
  }

  /* --- addresses --- */

  /** A whole name leads to its page. @param {SubmitEvent} event */
  function jump(event) {
    const form = /** @type {HTMLFormElement} */ (event.target);
    const wanted = /** @type {HTMLInputElement} */ (form.elements.namedItem("find")).value.trim().toLowerCase();
    const name = all(".sb-picker .sb-name").find((one) => (one.textContent || "").toLowerCase() === wanted);
    const link = name && name.closest("a");
    if (link) event.preventDefault(), (location.href = link.href);
  }

  /** The cell that an address names: ``model--engine``. @param {string} name */
  function cellOf(name) {
    const [model, engine] = name.split("--"), row = engine && document.getElementById(model), table = row && row.closest("table");
    const column = table ? all("thead th", table).findIndex((th) => th.dataset.engine === engine) : -1;
    return row instanceof HTMLTableRowElement && column > 0 ? row.cells[column] : null;
  }

  function reveal() {
    const name = decodeURIComponent(location.hash.slice(1)), cell = cellOf(name);
    const link = cell && cell.querySelector("a");
    if (link && link.getAttribute("aria-expanded") === "false") toggle(link);
    const target = cell || document.getElementById(name);
    if (!target) return;
    const inside = target.matches("td") && target.querySelector("details");
    for (let up = /** @type {HTMLElement | null} */ (inside || target); up; up = up.parentElement) {
      if (up !== target && up instanceof HTMLDetailsElement) up.open = true;
    }
    target.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  all(".sb-search").forEach((form) => searchable(/** @type {HTMLFormElement} */ (form)));
  all("table[data-sortable]").forEach((table) => sortable(/** @type {HTMLTableElement} */ (table)));
  all(".sb-filter").forEach(filterable);
  all("table[data-place]").forEach((table) => keyboard(/** @type {HTMLTableElement} */ (table)));
  carry();
  all("form[data-jump]").forEach((form) => form.addEventListener("submit", (event) => jump(/** @type {SubmitEvent} */ (event))));
  window.addEventListener("hashchange", reveal);
  window.addEventListener("beforeprint", () => all(".servebook details").forEach((one) => { /** @type {HTMLDetailsElement} */ (one).open = true; }));
  reveal();
})();
