/* Rearranges what the HTML already holds: sorts tables, opens what an address names, opens everything for print. */
(function () {
  "use strict";

  function key(cell) {
    var value = cell.dataset.value;
    return value === undefined ? cell.textContent.trim() : value;
  }

  function at(row, column) { // a cell over several columns says what none of them can
    for (var cell = row.cells[0], left = 0; cell; left += cell.colSpan, cell = cell.nextElementSibling) {
      if (left === column && cell.colSpan === 1) return key(cell);
    }
    return "";
  }

  function compare(a, b) {
    if (a === "" || b === "") return (a === "") - (b === ""); // what is not known comes last, either way
    var x = Number(a), y = Number(b);
    return isNaN(x) || isNaN(y) ? a.localeCompare(b, "en", { numeric: true }) : x - y;
  }

  function sort(table, header, column) {
    var descending = header.getAttribute("aria-sort") === "ascending";
    table.querySelectorAll("thead th").forEach(function (th) { th.removeAttribute("aria-sort"); });
    header.setAttribute("aria-sort", descending ? "descending" : "ascending");
    var body = table.tBodies[0];
    Array.from(body.rows)
      .map(function (row) { return { row: row, key: at(row, column) }; })
      .sort(function (a, b) {
        var order = compare(a.key, b.key);
        return descending && a.key !== "" && b.key !== "" ? -order : order;
      })
      .forEach(function (item) { body.appendChild(item.row); });
  }

  function sortable(table) {
    Array.from(table.tHead.rows[0].cells).forEach(function (header, column) {
      if (header.querySelector("a") || !header.textContent.trim()) return;
      var button = document.createElement("button");
      button.type = "button";
      button.className = "sb-sort";
      while (header.firstChild) button.appendChild(header.firstChild);
      header.appendChild(button);
      button.addEventListener("click", function () { sort(table, header, column); });
    });
  }

  function reveal() {
    var id = decodeURIComponent(location.hash.slice(1));
    var target = id && document.getElementById(id);
    if (!target) return;
    var inside = target.matches("td") && target.querySelector("details");
    if (inside) inside.open = true;
    for (var up = target.parentElement; up; up = up.parentElement) if (up.tagName === "DETAILS") up.open = true;
    target.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  document.querySelectorAll("table[data-sortable]").forEach(sortable);
  window.addEventListener("hashchange", reveal);
  window.addEventListener("beforeprint", function () {
    document.querySelectorAll(".servebook details").forEach(function (details) { details.open = true; });
  });
  reveal();
})();
