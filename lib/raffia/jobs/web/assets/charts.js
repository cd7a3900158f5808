// The charts: uPlot draws them, with the page's own colours, from the numbers that come with the page's parts.
"use strict";
(() => {
  const drawn = new Map();
  const rates = [[], [], []];
  let before;

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  const short = (value) => value >= 1e6 ? `${+(value / 1e6).toFixed(1)}M` : value >= 1e4 ? `${+(value / 1e3).toFixed(1)}k` : `${+value.toFixed(2)}`;

  const series = (label, ink, bars) => ({
    label, stroke: colour(ink), width: bars ? 0 : 1.5, fill: `${colour(ink)}${bars ? "cc" : "1c"}`, points: { show: false },
    value: (_, value) => value == null ? "–" : short(value),
    ...(bars && { paths: uPlot.paths.bars({ size: [0.7, 24] }) }),
  });

  const axis = (extra) => ({ stroke: colour("--soft"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false }, font: "12px system-ui, sans-serif", ...extra });

  const draw = (figure, data, lines, { bars, span } = {}) => {
    const place = figure.querySelector("div");
    const old = drawn.get(figure);
    if (old) return old.setData(data);
    const chart = new uPlot({
      width: place.clientWidth, height: 180, legend: { live: true }, cursor: { y: false, points: { size: 6 } },
      scales: { x: { time: true, ...(span && { range: ({ data: [times] }) => [-span, 0].map((by) => (times.at(-1) ?? Date.now() / 1000) + by) }) }, y: { range: (_, low, high) => [0, Math.max(high ?? 0, 1) * 1.1] } },
      axes: [axis({ grid: { show: false } }), axis({ size: 44, values: (_, ticks) => ticks.map(short) })],
      series: [{ value: (_, at) => at == null ? "–" : new Date(at * 1000).toLocaleString([], bars ? { dateStyle: "medium" } : { timeStyle: "short" }) }, ...lines.map(([label, ink]) => series(label, ink, bars))],
    }, data, place);
    drawn.set(figure, chart);
  };

  const columns = (rows, indices) => indices.map((index) => rows.map((row) => row[index]));
  const both = [["Processed", "--accent"], ["Failed", "--bad"]];

  const rate = (numbers) => {
    if (before && numbers.at > before.at) {
      const seconds = numbers.at - before.at;
      [numbers.at, (numbers.processed - before.processed) / seconds, (numbers.failed - before.failed) / seconds].forEach((value, index) => {
        rates[index].push(value);
        if (rates[index].length > 120) rates[index].shift();
      });
    }
    before = numbers;
    return rates;
  };

  const kinds = {
    now: (figure, numbers) => draw(figure, rate(numbers), both, { span: 300 }),
    minutes: (figure, numbers) => draw(figure, columns(numbers.minutes, [0, 1, 2]), both),
    mean: (figure, numbers) => draw(figure, columns(numbers.minutes, [0, 3]), [["Mean", "--accent"]]),
    days: (figure, numbers) => draw(figure, columns(numbers.days.map(([day, ...counts]) => [Date.parse(day) / 1000, ...counts]), [0, 1, 2]), both, { bars: true }),
  };

  // The places first: each takes its share of the width from the others.
  const all = (numbers) => {
    const figures = [...document.querySelectorAll("[data-chart]")];
    figures.forEach((figure) => { figure.hidden = false; });
    figures.forEach((figure) => kinds[figure.dataset.chart](figure, numbers));
  };
  let latest;

  document.addEventListener("raffia:parts", ({ detail }) => { if (detail.charts) all(latest = detail.charts); });
  new ResizeObserver(() => drawn.forEach((chart, figure) => chart.setSize({ width: figure.querySelector("div").clientWidth, height: 180 })))
    .observe(document.getElementById("main"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    drawn.forEach((chart) => chart.destroy());
    drawn.clear();
    if (latest) all({ ...latest, at: before?.at });
  });
})();
