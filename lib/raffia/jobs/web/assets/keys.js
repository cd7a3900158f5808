// Keys: j and k go through the rows, x marks one, / searches, p pauses, ? tells of all of them. And the box that marks all rows.
"use strict";
(() => {
  const rows = () => [...document.querySelectorAll("table[data-rows] tbody tr[data-key]")];
  const here = () => document.querySelector("tr[data-here]");

  const stand = (row) => {
    here()?.removeAttribute("data-here");
    row?.setAttribute("data-here", "");
  };

  const step = (by) => {
    const all = rows();
    const next = all[Math.min(Math.max(all.indexOf(here()) + by, 0), all.length - 1)];
    if (!next) return;
    stand(next);
    (next.querySelector("th a") ?? next.querySelector("a, button, input"))?.focus();
    next.scrollIntoView({ block: "nearest" });
  };

  const mark = () => here()?.querySelector("input[type=checkbox]")?.click();
  const search = () => document.querySelector("input[type=search]")?.focus();
  const keys = { j: () => step(1), k: () => step(-1), x: mark, "/": search, p: () => window.raffia.pause?.(), "?": () => document.getElementById("keys").showModal() };

  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches("input[type=checkbox]")) event.preventDefault(); // or it would press a button
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input:not([type=checkbox]), textarea, select, dialog")) return;
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });

  document.addEventListener("focusin", (event) => {
    const row = event.target.closest("tr[data-key]");
    if (row !== here()) stand(row);
  });

  const boxes = () => [...document.querySelectorAll("input[name=key]")];
  const offer = () => document.querySelectorAll("[data-all]").forEach((label) => { label.hidden = false; });
  document.addEventListener("change", (event) => {
    if (event.target.closest("[data-all]")) boxes().forEach((box) => { box.checked = event.target.checked; });
  });
  document.addEventListener("raffia:parts", offer);
  offer();
})();
