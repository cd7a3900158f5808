// Brings what is new: asks for the page's parts as JSON every few seconds, but not while nobody can see it, or somebody has paused it.
"use strict";
(() => {
  const seconds = Number(document.body.dataset.refresh);
  const state = document.getElementById("live");
  const button = document.getElementById("pause");
  let timer;
  let paused = sessionStorage.getItem("raffia-paused") === "yes";
  let asking = false;

  const say = (name, text) => {
    if (state.textContent !== text) state.textContent = text;
    state.dataset.state = name;
  };

  const show = (parts) => {
    document.title = parts.title;
    window.raffia.morph(document.getElementById("nav"), parts.nav);
    window.raffia.morph(document.getElementById("content"), parts.main);
    document.dispatchEvent(new CustomEvent("raffia:parts", { detail: parts }));
  };

  const ask = async () => {
    clearTimeout(timer);
    if (paused || document.hidden || asking) return;
    asking = true;
    const begun = performance.now();
    try {
      const response = await fetch(location.href, { headers: { accept: "application/json" } });
      const parts = await response.json();
      if (paused) return;
      if (parts.main === undefined) return say("lost", response.status === 503 ? "The store does not answer" : "Gone");
      if (document.body.dataset.trouble !== undefined) return location.reload();
      show(parts);
      say("live", "Live");
    } catch (error) {
      if (!paused) say("lost", "Not reached");
    } finally {
      asking = false;
      // What takes long, such as a search in a million jobs, is asked for less often.
      timer = setTimeout(ask, Math.max(seconds * 1000, 10 * (performance.now() - begun)));
    }
  };

  const pause = (on) => {
    paused = on;
    sessionStorage.setItem("raffia-paused", on ? "yes" : "no");
    button.setAttribute("aria-pressed", on);
    button.textContent = on ? "Go on" : "Pause";
    say(on ? "paused" : "live", on ? "Paused" : "Live");
    if (!on) ask();
  };

  // Where the pages stand in a row, the one where we are may be out of sight.
  document.querySelector("#nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });

  // What was said once is not said again when the page is loaded anew.
  const address = new URL(location.href);
  for (const name of ["done", "count"]) address.searchParams.delete(name);
  history.replaceState(null, "", address);

  if (!seconds) return;
  document.querySelector(".live").hidden = false;
  button.addEventListener("click", () => pause(!paused));
  document.addEventListener("visibilitychange", ask);
  window.raffia.pause = () => pause(!paused);
  document.addEventListener("DOMContentLoaded", () => pause(paused));
})();
