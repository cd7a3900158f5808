// Refreshes the page: fetches its parts as JSON every few seconds, unless it is hidden or paused.
"use strict";
(() => {
  const seconds = Number(document.body.dataset.refresh);
  const state = document.getElementById("live");
  const button = document.getElementById("pause");
  let timer;
  let paused = sessionStorage.getItem("raffia-paused") === "yes";
  let refreshing = false;

  const setState = (name, text) => {
    if (state.textContent !== text) state.textContent = text;
    state.dataset.state = name;
  };

  const show = (parts) => {
    document.title = parts.title;
    window.raffia.morph(document.getElementById("nav"), parts.nav);
    window.raffia.morph(document.getElementById("content"), parts.main);
    document.dispatchEvent(new CustomEvent("raffia:parts", { detail: parts }));
  };

  const refresh = async () => {
    clearTimeout(timer);
    if (paused || document.hidden || refreshing) return;
    refreshing = true;
    const begun = performance.now();
    try {
      const response = await fetch(location.href, { headers: { accept: "application/json" } });
      const parts = await response.json();
      if (paused) return;
      if (parts.main === undefined) {
        return setState("lost", response.status === 503 ? "The store does not answer" : "Gone");
      }
      if (document.body.dataset.trouble !== undefined) return location.reload();
      show(parts);
      setState("live", "Live");
    } catch (error) {
      if (!paused) setState("lost", "Not reached");
    } finally {
      refreshing = false;
      // A slow page, such as a search in a million jobs, is refreshed less often.
      timer = setTimeout(refresh, Math.max(seconds * 1000, 10 * (performance.now() - begun)));
    }
  };

  const pause = (on) => {
    paused = on;
    sessionStorage.setItem("raffia-paused", on ? "yes" : "no");
    button.setAttribute("aria-pressed", on);
    button.textContent = on ? "Go on" : "Pause";
    setState(on ? "paused" : "live", on ? "Paused" : "Live");
    if (!on) refresh();
  };

  // On narrow screens the present page may be out of sight in the navigation.
  const current = document.querySelector("#nav [aria-current]");
  current?.scrollIntoView({ block: "nearest", inline: "center" });

  // The message of a change does not appear again when the page is reloaded.
  const address = new URL(location.href);
  for (const name of ["done", "count"]) address.searchParams.delete(name);
  history.replaceState(null, "", address);

  if (!seconds) return;
  document.querySelector(".live").hidden = false;
  button.addEventListener("click", () => pause(!paused));
  document.addEventListener("visibilitychange", refresh);
  window.raffia.pause = () => pause(!paused);
  document.addEventListener("DOMContentLoaded", () => pause(paused));
})();
