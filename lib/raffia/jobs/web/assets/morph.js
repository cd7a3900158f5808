// Updates a part of the page to the server's HTML. Keeps the focus, and what the reader has
// checked, typed or unfolded.
"use strict";
window.raffia = {};
(() => {
  const key = (node) => node.dataset?.key;

  // Attributes that scripts set, not the server.
  const scripted = (name) => ["open", "hidden", "data-selected"].includes(name);

  const attributes = (from, to) => {
    for (const { name } of [...from.attributes]) {
      if (!scripted(name) && !to.hasAttribute(name)) from.removeAttribute(name);
    }
    for (const { name, value } of [...to.attributes]) {
      if (scripted(name) || from.getAttribute(name) === value) continue;
      from.setAttribute(name, value);
    }
  };

  const children = (from, to) => {
    const known = new Map([...from.children].filter(key).map((child) => [key(child), child]));
    let here = from.firstChild;
    const drop = () => {
      const gone = here;
      here = here.nextSibling;
      gone.remove();
    };
    for (const wanted of [...to.childNodes]) {
      // The parser leaves out some spaces.
      while (here?.nodeType === Node.TEXT_NODE && wanted.nodeType !== Node.TEXT_NODE) drop();
      const alike = here && !key(here) && here.nodeName === wanted.nodeName;
      const same = key(wanted) ? known.get(key(wanted)) : (alike ? here : null);
      if (!same) {
        from.insertBefore(wanted, here);
        continue;
      }
      if (same === here) here = here.nextSibling;
      else from.insertBefore(same, here);
      node(same, wanted);
    }
    while (here) drop();
  };

  const node = (from, to) => {
    if (from.nodeType === Node.TEXT_NODE) {
      if (from.data !== to.data) from.data = to.data;
    } else if (from.nodeType === Node.ELEMENT_NODE && !from.hasAttribute("data-keep")) {
      attributes(from, to);
      children(from, to);
    }
  };

  window.raffia.morph = (element, html) => {
    children(element, new DOMParser().parseFromString(html, "text/html").body);
  };
})();
