// What ipywidgets leaves undone on a page: names for screen readers, the address that restores the settings, the width
// to draw charts for.
(() => {
  if (window.dpmiaLab) return;
  const lab = (window.dpmiaLab = {}); // what other scripts of the lab may call

  // ---- words: a served page brings them along in its language, by their English
  const said = (english, fields = {}) =>
    (window.dpmiaWords?.[english] ?? english).replace(/\{(\w+)\}/g, (_, name) => fields[name]);
  lab.said = said;
  document.addEventListener("click", (event) => {
    const link = event.target.closest("#lab-languages a");
    if (!link) return;
    const query = new URLSearchParams(window.location.search); // the settings stay
    query.set("lang", link.lang);
    link.search = query;
  });

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
      // What a slider shows is read, not typed: typing there is taken or dropped without a word, and is a second stop.
      if (readout?.isContentEditable) readout.setAttribute("contenteditable", "false");
      readout?.removeAttribute("tabindex");
      for (const input of field.querySelectorAll("select, input")) {
        if (name && !input.getAttribute("aria-label")) input.setAttribute("aria-label", name);
      }
    }
    // Fields through which this script and Python talk are nobody else's.
    for (const hidden of root.querySelectorAll(".dp-hidden")) {
      hidden.setAttribute("aria-hidden", "true");
      for (const input of hidden.querySelectorAll("input, textarea")) {
        input.tabIndex = -1;
        input.setAttribute("aria-label", "for the page's script");
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
  lab.write = write;

  // ---- a picture that is pressed is told to Python, through the field of its panel
  document.addEventListener("click", (event) => {
    const picture = event.target.closest("[data-pick]");
    const field = picture?.closest(".dp-card").querySelector(".dp-pressed input");
    if (field) write(field, picture.dataset.pick);
  });

  // ---- what is folded opens and closes here, whatever Python is doing
  document.addEventListener("click", (event) => {
    const head = event.target.closest(".dp-fold-button");
    if (!head) return;
    const open = head.closest(".dp-fold").classList.toggle("dp-open");
    head.setAttribute("aria-expanded", String(open));
  });
  window.addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details:not([open])")) details.open = true;
  });

  // ---- projector and dark: one key each, remembered by this browser
  const PROJECTOR = 1.35; // as in the stylesheet
  const MODES = { projector: [said("Projector"), "p"], dark: [said("Dark"), "d"] };
  const isOn = (mode) => document.documentElement.classList.contains(`dp-${mode}`);
  const setMode = (mode, on) => {
    document.documentElement.classList.toggle(`dp-${mode}`, on);
    document.querySelector(`#lab-tools [data-mode=${mode}]`)?.setAttribute("aria-pressed", String(on));
    window.dispatchEvent(new Event("resize"));
  };
  const switchMode = (mode) => {
    setMode(mode, !isOn(mode));
    localStorage.setItem(`dpmia_lab ${mode}`, String(isOn(mode)));
  };
  const startModes = () => {
    if (!document.body.dataset.voila) return; // JupyterLab has its own
    const tools = document.createElement("div");
    tools.id = "lab-tools";
    tools.append(document.getElementById("lab-languages") ?? "");
    for (const [mode, [words, key]] of Object.entries(MODES)) {
      const made = document.createElement("button");
      made.dataset.mode = mode;
      made.textContent = words;
      made.title = said("{words} (key {key})", { words, key: key.toUpperCase() });
      made.onclick = () => switchMode(mode);
      tools.append(made);
    }
    document.body.prepend(tools);
    const darkHere = window.matchMedia("(prefers-color-scheme: dark)").matches;
    const remembered = (mode) => localStorage.getItem(`dpmia_lab ${mode}`);
    setMode("projector", remembered("projector") === "true");
    setMode("dark", (remembered("dark") ?? String(darkHere)) === "true");
  };
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, [contenteditable=true]");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || !document.body.dataset.voila) return;
    const mode = Object.keys(MODES).find((name) => MODES[name][1] === event.key.toLowerCase());
    if (mode) switchMode(mode);
  });

  // ---- Python is told how wide the page is
  const tellWidth = () => {
    const scale = document.documentElement.classList.contains("dp-projector") ? PROJECTOR : 1;
    const width = String(Math.min(Math.floor(document.documentElement.clientWidth / scale), 1400));
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
    startModes();
    tidy();
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
    const size = { name: file.name, size: Math.round(file.size / 2 ** 20) };
    words.textContent = said("{name} must have at most 20 MB; it has {size} MB.", size);
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
    copy.textContent = said("Copied");
  });
})();
