// What ipywidgets leaves undone on a page: names for screen readers, a word when Python has died,
// the address that restores the settings, the width to draw charts for.
(() => {
  if (window.dpmiaLab) return;
  window.dpmiaLab = true;

  // ---- names: sliders, progress bars, selects and inputs say what they are
  const nameOf = (widget) => widget.querySelector(":scope > .widget-label")?.textContent.trim();
  const mend = (root) => {
    for (const field of root.querySelectorAll(".dp-field")) {
      const name = nameOf(field);
      const readout = field.querySelector(".widget-readout");
      for (const handle of field.querySelectorAll("[role=slider]")) {
        if (name) handle.setAttribute("aria-label", name);
        if (readout) handle.setAttribute("aria-valuetext", readout.textContent);
      }
      for (const input of field.querySelectorAll("select, input")) {
        if (name && !input.getAttribute("aria-label")) input.setAttribute("aria-label", name);
      }
    }
  };

  // ---- the address follows the settings, so that reloading or sharing it restores them
  const followLink = () => {
    const link = document.querySelector("[data-lab-link]")?.dataset.labLink;
    if (link !== undefined && link !== window.location.search && document.body.dataset.voila) {
      history.replaceState(null, "", window.location.pathname + link);
    }
  };

  // ---- runs a reader keeps are remembered by this browser, as links, and handed to Python on the next visit
  const shelf = `dpmia_lab kept ${window.location.pathname}`;
  let handedOver = false;
  const rememberKept = () => {
    const kept = document.querySelector("[data-lab-kept]")?.dataset.labKept;
    if (kept !== undefined && kept !== localStorage.getItem(shelf)) localStorage.setItem(shelf, kept);
    const place = document.querySelector(".dp-recall input");
    if (!place || handedOver) return;
    handedOver = true;
    const before = localStorage.getItem(shelf);
    if (before && before !== "[]") write(place, before);
  };
  const write = (input, words) => {
    input.value = words;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    input.dispatchEvent(new Event("change", { bubbles: true }));
  };

  // ---- Python is told how wide the page is
  const tellWidth = () => {
    const width = String(Math.min(document.documentElement.clientWidth, 1400));
    for (const input of document.querySelectorAll(".dp-width input")) {
      if (input.value !== width) write(input, width);
    }
  };

  let pending = false;
  const tidy = () => {
    if (pending) return;
    pending = true;
    requestAnimationFrame(() => {
      pending = false;
      mend(document);
      followLink();
      rememberKept();
      tellWidth();
    });
  };
  document.addEventListener("DOMContentLoaded", () => {
    new MutationObserver(tidy).observe(document.body, { childList: true, subtree: true, characterData: true });
    window.addEventListener("resize", tidy);
    tidy();
    watchEngine();
  });
  if (document.readyState !== "loading") document.dispatchEvent(new Event("DOMContentLoaded"));

  // ---- a file too large for the line to Python is refused here: there it would vanish without a word
  const LARGEST = 20 * 2 ** 20;
  const refuseLarge = (event) => {
    document.getElementById("lab-too-large")?.remove();
    const file = [...event.target.files].find((one) => one.size > LARGEST);
    if (!file) return;
    event.stopImmediatePropagation();
    event.target.value = "";
    const words = document.createElement("div");
    words.id = "lab-too-large";
    words.className = "dp-error";
    words.setAttribute("role", "alert");
    words.textContent = `${file.name} must have at most 20 MB; it has ${Math.round(file.size / 2 ** 20)} MB.`;
    document.querySelector(".dp-upload")?.after(words);
  };
  // ipywidgets opens the chooser of an input that is never part of the page, so it is met on its way there.
  const openChooser = HTMLInputElement.prototype.click;
  HTMLInputElement.prototype.click = function () {
    if (this.type === "file") this.addEventListener("change", refuseLarge, { capture: true });
    return openChooser.call(this);
  };

  // ---- copying a link
  document.addEventListener("click", (event) => {
    const copy = event.target.closest("[data-lab-copy]");
    if (!copy) return;
    const address = new URL(copy.dataset.labCopy, window.location.href).href;
    navigator.clipboard?.writeText(address);
    copy.textContent = "Copied";
  });

  // ---- the engine: a page whose Python has ended looks alive and is not, so say it
  let lastSign = Date.now();
  for (const sign of ["pointermove", "keydown", "scroll", "touchstart"]) {
    document.addEventListener(sign, () => { lastSign = Date.now(); }, { passive: true, capture: true });
  }
  function watchEngine() {
    const settings = document.getElementById("jupyter-config-data");
    if (!settings) return; // JupyterLab says it itself
    const { baseUrl, kernelId } = JSON.parse(settings.textContent);
    let misses = 0;
    let wasAlive = false; // before that the engine is still starting, which may take a while
    const opened = Date.now();
    const ask = async () => {
      const reading = !document.hidden && Date.now() - lastSign < 45 * 60 * 1000;
      let alive = false;
      try {
        const answer = await fetch(`${baseUrl}alive/${kernelId}${reading ? "?reader=1" : ""}`, { cache: "no-store" });
        if (answer.status === 404 && !answer.headers.get("content-type")?.includes("json")) return; // another server
        alive = (await answer.json()).alive;
      } catch { /* no answer counts as a miss */ }
      wasAlive ||= alive;
      misses = alive || !(wasAlive || Date.now() - opened > 20000) ? 0 : misses + 1;
      if (misses >= 2) return sayDead();
      setTimeout(ask, misses ? 700 : 2000);
    };
    setTimeout(ask, 3000);
  }
  function sayDead() {
    const bar = document.createElement("div");
    bar.id = "lab-dead";
    bar.setAttribute("role", "alert");
    bar.innerHTML = "<span>The engine behind this page has ended, so its controls no longer answer. " +
      "Reloading starts a new one with your settings; finished results are kept.</span>";
    const button = document.createElement("button");
    button.textContent = "Reload the page";
    button.onclick = () => window.location.reload();
    bar.append(button);
    document.body.append(bar);
  }
})();
