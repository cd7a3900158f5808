// Keyboard: j and k select rows, x checks one, / searches, p pauses, ? shows all keys.
// Also the box that checks all rows.
"use strict";
(() => {
  const rows = () => [...document.querySelectorAll("table[data-rows] tbody tr[data-key]")];
  const selected = () => document.querySelector("tr[data-selected]");

  const select = (row) => {
    selected()?.removeAttribute("data-selected");
    row?.setAttribute("data-selected", "");
  };

  const step = (by) => {
    const all = rows();
    const next = all[Math.min(Math.max(all.indexOf(selected()) + by, 0), all.length - 1)];
    if (!next) return;
    select(next);
    (next.querySelector("th a") ?? next.querySelector("a, button, input"))?.focus();
    next.scrollIntoView({ block: "nearest" });
  };

  const check = () => selected()?.querySelector("input[type=checkbox]")?.click();
  const search = () => document.querySelector("input[type=search]")?.focus();
  const keys = {
    j: () => step(1),
    k: () => step(-1),
    x: check,
    "/": search,
    p: () => window.raffia.pause?.(),
    "?": () => document.getElementById("keys").showModal(),
  };

  document.addEventListener("keydown", (event) => {
    // Enter in a checkbox would press a button.
    if (event.key === "Enter" && event.target.matches("input[type=checkbox]")) {
      event.preventDefault();
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input:not([type=checkbox]), textarea, select, dialog")) return;
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });

  document.addEventListener("focusin", (event) => {
    const row = event.target.closest("tr[data-key]");
    if (row !== selected()) select(row);
  });

  const boxes = () => [...document.querySelectorAll("input[name=key]")];
  const showCheckAll = () => {
    document.querySelectorAll("[data-all]").forEach((label) => { label.hidden = false; });
  };
  document.addEventListener("change", (event) => {
    if (!event.target.closest("[data-all]")) return;
    boxes().forEach((box) => { box.checked = event.target.checked; });
  });
  document.addEventListener("raffia:parts", showCheckAll);
  showCheckAll();
})();
