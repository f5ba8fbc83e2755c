// The course: the browser remembers what its reader did, keeps the place over a reload, says what became of a run,
// and lets a word of the glossary say its sentence.
(() => {
  if (window.dpmiaCourse) return;
  window.dpmiaCourse = true;
  const { said } = window.dpmiaLab;

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
    if (state && state !== before) keep(shelf(lesson), state);
  };
  const keep = (name, words) => {
    try {
      localStorage.setItem(name, words);
    } catch { // a browser has room for a few megabytes
      sayBelow("lab-no-room", said("This browser has no room left to keep your work. Download it at the end of the page."));
    }
  };
  const progressWords = ({ done, of, summary }) =>
    of === undefined ? summary : said("{done} of {of} tasks done", { done, of }); // earlier pages kept no numbers
  const showProgress = () => {
    for (const place of document.querySelectorAll("[data-lab-progress]:empty")) {
      const stored = localStorage.getItem(shelf(place.dataset.labProgress));
      if (stored) place.textContent = progressWords(JSON.parse(stored));
    }
  };

  // ---- all that is kept goes to Python as one, which signs it and answers with a file; and comes back from one
  const START = shelf("");
  const keptNames = () => Object.keys(localStorage).filter((name) => name.startsWith(START));
  document.addEventListener("click", (event) => {
    const input = event.target.closest("[data-lab-collect]")?.closest(".dp-take").querySelector(".dp-collected input");
    if (!input) return;
    const all = keptNames().map((name) => [name.slice(START.length), JSON.parse(localStorage.getItem(name))]);
    window.dpmiaLab.write(input, JSON.stringify({ at: Date.now(), work: Object.fromEntries(all) }));
  });
  let saved = Date.now(); // what was asked for before this page was opened was saved then
  const saveFile = () => {
    for (const answer of document.querySelectorAll("[data-lab-take]")) {
      if (Number(answer.dataset.labTake) <= saved) continue;
      saved = Number(answer.dataset.labTake);
      answer.querySelector("a[download]").click();
    }
  };
  const putBack = () => {
    const place = document.querySelector("[data-lab-restore]:not([data-lab-done])");
    if (!place) return;
    place.dataset.labDone = "";
    for (const [lesson, theirs] of Object.entries(JSON.parse(place.dataset.labRestore))) {
      const ours = JSON.parse(localStorage.getItem(shelf(lesson))) ?? {};
      const both = { ...theirs, ...ours }; // what is here stays
      for (const kind of ["predictions", "tasks", "runs"]) both[kind] = { ...theirs[kind], ...ours[kind] };
      both.of ??= theirs.of;
      both.done = Object.keys(both.tasks).length;
      keep(shelf(lesson), JSON.stringify(both));
    }
    for (const place of document.querySelectorAll("[data-lab-progress]")) place.textContent = "";
  };

  // ---- the reader's name, where it was given, is the same on every page
  const READER = "dpmia_lab reader";
  const rememberName = () => {
    const input = document.querySelector(".dp-reader input:not([data-lab-heard])");
    if (!input) return;
    input.dataset.labHeard = "";
    input.addEventListener("change", () => keep(READER, input.value));
    const name = localStorage.getItem(READER);
    if (name && !input.value) window.dpmiaLab.write(input, name);
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
    const doing = left.doing ? ` (“${left.doing}”)` : "";
    const again = left.set && window.location.search
      ? said("The same settings are set: press “{run}” to start it anew.", left)
      : said("Set it up again: press “{run}” to start it anew.", left);
    const ended = said("A run was under way when this page was left{doing}. It ended with the page, unfinished.", { doing });
    sayBelow("lab-left", `${ended} ${again}`);
  };
  const sayBelow = (id, sentence) => {
    if (document.getElementById(id)) return;
    const note = document.createElement("div");
    note.id = id;
    note.className = "lab-below";
    note.setAttribute("role", "status");
    const words = document.createElement("span");
    words.textContent = sentence;
    const close = document.createElement("button");
    close.textContent = said("Close");
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
      rememberName();
      rememberWork();
      putBack();
      saveFile();
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
