// The chart of the present: jobs per second since the page was opened. The server draws its empty
// frame; all other charts are complete when they arrive.
"use strict";
(() => {
  const SECONDS = 300;
  const UNITS = 1000;
  const samples = [];
  let before;

  const short = (value) => value >= 1e4 ? `${+(value / 1e3).toFixed(1)}k` : `${+value.toFixed(2)}`;

  const round = (value) => {
    const power = 10 ** Math.floor(Math.log10(value));
    return [1, 2, 4, 10].find((step) => step * power >= value) * power;
  };

  const sample = ({ at, processed, failed }) => {
    if (before && at > before.at) {
      const seconds = at - before.at;
      samples.push({ at, rates: [(processed - before.processed) / seconds, (failed - before.failed) / seconds] });
    }
    before = { at, processed, failed };
    while (samples.length && samples[0].at < at - SECONDS) samples.shift();
  };

  const draw = (figure) => {
    const top = round(Math.max(1, ...samples.flatMap(({ rates }) => rates)));
    figure.querySelectorAll(".scale").forEach((tick, index) => { tick.textContent = short(top * index / 2); });
    const x = (at) => Math.round(UNITS - (before.at - at) / SECONDS * UNITS);
    ["line", "area"].forEach((shape) => figure.querySelectorAll(`.${shape}`).forEach((element, index) => {
      const points = samples.map(({ at, rates }) => `${x(at)},${Math.round((1 - rates[index] / top) * UNITS)}`);
      if (shape === "area" && samples.length) points.push(`${UNITS},${UNITS}`, `${x(samples[0].at)},${UNITS}`);
      element.setAttribute("points", points.join(" "));
    }));
    const [processed, failed] = samples.at(-1)?.rates ?? [0, 0];
    figure.querySelector("output").textContent = `${short(processed)} processed, ${short(failed)} failed`;
  };

  document.addEventListener("raffia:parts", ({ detail }) => {
    const figure = document.querySelector("[data-live]");
    if (!figure || !detail.totals) return;
    sample(detail.totals);
    figure.hidden = false;
    draw(figure);
  });
})();
