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
      const rates = [processed - before.processed, failed - before.failed];
      samples.push({ at, rates: rates.map((count) => count / seconds) });
    }
    before = { at, processed, failed };
    while (samples.length && samples[0].at < at - SECONDS) samples.shift();
  };

  const draw = (figure) => {
    const top = round(Math.max(1, ...samples.flatMap(({ rates }) => rates)));
    figure.querySelectorAll(".scale").forEach((tick, index) => {
      tick.textContent = short(top * index / 2);
    });
    const x = (at) => Math.round(UNITS - (before.at - at) / SECONDS * UNITS);
    const y = (rate) => Math.round((1 - rate / top) * UNITS);
    const setPoints = (element, index, area) => {
      const points = samples.map(({ at, rates }) => `${x(at)},${y(rates[index])}`);
      if (area && points.length) points.push(`${UNITS},${UNITS}`, `${x(samples[0].at)},${UNITS}`);
      element.setAttribute("points", points.join(" "));
    };
    figure.querySelectorAll(".line").forEach((line, index) => setPoints(line, index, false));
    figure.querySelectorAll(".area").forEach((area, index) => setPoints(area, index, true));
    const [processed, failed] = samples.at(-1)?.rates ?? [0, 0];
    const text = `${short(processed)} processed, ${short(failed)} failed`;
    figure.querySelector("output").textContent = text;
  };

  document.addEventListener("raffia:parts", ({ detail }) => {
    const figure = document.querySelector("[data-live]");
    if (!figure || !detail.totals) return;
    sample(detail.totals);
    figure.hidden = false;
    draw(figure);
  });
})();
