/* Rearranges what the HTML already holds: sorts, filters, opens what an address names. */
(function () {
  "use strict";

  const all = (selector) => Array.from(document.querySelectorAll(selector));
  const asked = (name) => new URLSearchParams(location.search).get(name) || "";
  const carry = () => all(".sb-facets a").forEach((a) => { a.search = location.search; }); // to the next GPU

  function remember(name, value) {
    const url = new URL(location.href);
    url.searchParams[value ? "set" : "delete"](name, value);
    try { history.replaceState(null, "", url); } catch { /* a file has none */ }
    carry();
  }

  function at(row, column) { // a cell over several columns says what none of them can
    let left = 0;
    const cell = Array.from(row.cells).find((one) => (left += one.colSpan) > column);
    return cell && cell.colSpan === 1 ? cell.dataset.value ?? cell.textContent.trim() : "";
  }

  function compare(a, b, descending) {
    if (a === "" || b === "") return (a === "") - (b === ""); // the unknown comes last, either way
    const order = isNaN(a) || isNaN(b) ? a.localeCompare(b, "en", { numeric: true }) : a - b;
    return descending ? -order : order;
  }

  function sort(table, header, column, descending) {
    header.parentElement.querySelectorAll("th").forEach((th) => th.removeAttribute("aria-sort"));
    header.setAttribute("aria-sort", descending ? "descending" : "ascending");
    Array.from(table.tBodies[0].rows)
      .map((row) => ({ row, key: at(row, column) }))
      .sort((a, b) => compare(a.key, b.key, descending))
      .forEach((item) => table.tBodies[0].appendChild(item.row));
  }

  function sortable(table) {
    Array.from(table.tHead.rows[0].cells).forEach((header, column) => {
      const name = header.textContent.trim(), kept = "kept" in table.dataset, button = document.createElement("button");
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

  function filterable(label) {
    const input = label.querySelector("input"), rows = Array.from(label.nextElementSibling.querySelector("tbody").rows);
    const texts = rows.map((row) => (row.textContent + row.dataset.words).toLowerCase());
    function apply() {
      const words = input.value.toLowerCase().split(/\s+/);
      rows.forEach((row, n) => { row.hidden = !words.every((word) => texts[n].includes(word)); });
      label.querySelector("output").value = rows.filter((row) => !row.hidden).length + " of " + rows.length;
    }
    label.hidden = false;
    input.value = asked("find");
    input.addEventListener("input", () => { apply(); remember("find", input.value.trim()); });
    apply();
  }

  function jump(event) { // a whole name leads to its page
    const wanted = event.target.elements.find.value.trim().toLowerCase();
    const name = all(".sb-picker .sb-name").find((one) => one.textContent.toLowerCase() === wanted);
    if (name) event.preventDefault(), (location.href = name.parentElement.href);
  }

  function reveal() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    const inside = target.matches("td") && target.querySelector("details");
    for (let up = inside || target; up; up = up.parentElement) if (up !== target && "open" in up) up.open = true;
    target.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  all("table[data-sortable]").forEach(sortable);
  all(".sb-filter").forEach(filterable);
  carry();
  all("form[data-jump]").forEach((form) => form.addEventListener("submit", jump));
  window.addEventListener("hashchange", reveal);
  window.addEventListener("beforeprint", () => all(".servebook details").forEach((one) => { one.open = true; }));
  reveal();
})();
