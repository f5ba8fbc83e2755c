// The course: the browser remembers what its reader did, keeps the place over a reload, says what became of a run,
// and lets a word of the glossary say its sentence.
(() => {
  if (window.dpmiaCourse) return;
  window.dpmiaCourse = true;

  // ---- words of the glossary say what they mean
  const explain = () => {
    const sentences = document.querySelector("[data-lab-terms]")?.dataset.labTerms;
    if (!sentences) return;
    for (const link of document.querySelectorAll('a[href*="glossary.ipynb#"]:not(.dp-term)')) {
      link.classList.add("dp-term");
      link.title = JSON.parse(sentences)[link.hash.slice(1)] ?? "";
    }
  };

  // ---- Jupyter opens every link of an output in a new tab; those within the lab stay in theirs
  const stayHere = () => {
    for (const link of document.querySelectorAll('#lab-page .dp a[target="_blank"]')) {
      if (link.origin === window.location.origin) link.removeAttribute("target");
    }
  };

  // ---- predictions and finished tasks: one entry a lesson, handed to Python when the page is opened again
  const shelf = (lesson) => `dpmia_lab work ${lesson}`;
  let handedOver = false;
  const rememberWork = () => {
    const place = document.querySelector("[data-lab-work]");
    const input = document.querySelector(".dp-recall-work input");
    if (!place || !input) return;
    const { labWork: lesson, labState: state } = place.dataset;
    const before = localStorage.getItem(shelf(lesson));
    if (!handedOver) {
      handedOver = true;
      if (before) return window.dpmiaLab.write(input, before);
    }
    if (state && state !== before) localStorage.setItem(shelf(lesson), state);
  };
  const showProgress = () => {
    for (const place of document.querySelectorAll("[data-lab-progress]:empty")) {
      const stored = localStorage.getItem(shelf(place.dataset.labProgress));
      if (stored) place.textContent = JSON.parse(stored).summary;
    }
  };

  // ---- the place: a page grows while Python fills it, so its place is a cell, and is held until the page rests
  const placeName = `dpmia_lab place ${window.location.pathname}`;
  const cells = () => [...document.querySelectorAll("#lab-page > *")];
  const savePlace = () => {
    const index = cells().findIndex((cell) => cell.getBoundingClientRect().bottom > 0);
    if (index < 0) return;
    sessionStorage.setItem(placeName, JSON.stringify({ index, top: cells()[index].getBoundingClientRect().top }));
  };
  const savedPlace = () => {
    const saved = JSON.parse(sessionStorage.getItem(placeName));
    const reloaded = performance.getEntriesByType("navigation")[0]?.type === "reload";
    if (!saved || !reloaded) return null;
    return () => {
      const cell = cells()[saved.index]; // a result that was there may be gone, and its cell be shorter
      return cell && cell.getBoundingClientRect().top - Math.max(saved.top, 80 - cell.offsetHeight);
    };
  };
  const linkedPlace = () => {
    const anchor = window.location.hash.slice(1);
    if (!anchor) return null;
    document.querySelector(".dp-here")?.classList.remove("dp-here");
    return () => {
      const target = document.getElementById(anchor);
      target?.classList.add("dp-here");
      return target && target.getBoundingClientRect().top - 16;
    };
  };
  const QUIET = 1500, LONGEST = 20000; // milliseconds
  let letGo = () => {};
  const holdPlace = (distance) => {
    const page = document.getElementById("lab-page");
    if (!distance || !page) return;
    letGo();
    history.scrollRestoration = "manual";
    let rest = null;
    const hold = () => {
      window.scrollBy({ top: distance() || 0, behavior: "instant" });
      clearTimeout(rest);
      if (document.getElementById("lab-starting")?.hidden) rest = setTimeout(letGo, QUIET);
    };
    const size = new ResizeObserver(hold), parts = new MutationObserver(hold); // a part may come and change no size
    letGo = () => { size.disconnect(); parts.disconnect(); };
    size.observe(page);
    parts.observe(page, { childList: true, subtree: true });
    setTimeout(letGo, LONGEST);
  };

  // ---- a run ends with its page: say so when the page is opened again
  const leftName = `dpmia_lab left ${window.location.pathname}`;
  const LONG = 2000; // shorter ones follow a slider, and are made again by themselves
  let since = null;
  const running = () => document.querySelector(".dp-stop-button:not(:disabled)");
  const watchRun = () => { since = running() ? since ?? Date.now() : null; };
  const saveRun = () => {
    const stop = running();
    if (!stop || Date.now() - (since ?? Date.now()) < LONG) return;
    const panel = stop.closest(".dp-card");
    const run = panel.querySelector(".dp-run-button").textContent.trim();
    const doing = panel.querySelector("[role=progressbar]")?.getAttribute("aria-label") ?? "";
    localStorage.setItem(leftName, JSON.stringify({ run, doing, set: !!panel.querySelector("[data-lab-link]") }));
  };
  const tellRun = () => {
    const left = JSON.parse(localStorage.getItem(leftName));
    if (!left) return;
    localStorage.removeItem(leftName);
    const note = document.createElement("div");
    note.id = "lab-left";
    note.setAttribute("role", "status");
    const words = document.createElement("span");
    const doing = left.doing ? ` (“${left.doing}”)` : "";
    const again = left.set && window.location.search ? "The same settings are set" : "Set it up again";
    words.textContent = `A run was under way when this page was left${doing}. It ended with the page, unfinished. ` +
      `${again}: press “${left.run}” to start it anew.`;
    const close = document.createElement("button");
    close.textContent = "Close";
    close.onclick = () => note.remove();
    note.append(words, close);
    document.body.append(note);
  };

  // ---- whoever has chosen a section wants to see it
  document.addEventListener("click", (event) => {
    const contents = event.target.closest(".dp-contents");
    for (const open of document.querySelectorAll(".dp-contents[open]")) {
      if (open !== contents || event.target.closest("a")) open.open = false;
    }
  });

  let pending = false;
  const tidy = () => {
    if (pending) return;
    pending = true;
    requestAnimationFrame(() => {
      pending = false;
      explain();
      stayHere();
      rememberWork();
      showProgress();
      watchRun();
    });
  };
  const begin = () => {
    new MutationObserver(tidy).observe(document.body, { childList: true, subtree: true, characterData: true });
    tidy();
    if (!document.body.dataset.voila) return; // in JupyterLab a reload leaves Python and its run as they are
    holdPlace(savedPlace() ?? linkedPlace());
    window.addEventListener("hashchange", () => holdPlace(linkedPlace()));
    for (const sign of ["wheel", "touchstart", "keydown", "pointerdown"]) {
      window.addEventListener(sign, () => letGo(), { passive: true });
    }
    tellRun();
    window.addEventListener("pagehide", () => { savePlace(); saveRun(); });
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
  else begin();
})();
