// The engine: a page whose Python has ended, hangs or cannot be reached looks alive and is not. The page asks every two
// seconds, says in a sentence what is wrong, and mends what it can by itself.
(() => {
  if (window.dpmiaEngine) return;
  window.dpmiaEngine = true;
  const { said } = window.dpmiaLab;

  const OFTEN = 2000, AGAIN = 700, PATIENCE = 3000; // ms between questions, after a bad answer, for an answer
  const STARTING = 20000; // ms in which Python may still be on its way
  const LEAVING = 20000; // ms that the next page may take to come
  const AWAY = 45 * 60 * 1000; // ms without a sign of the reader
  // After so many bad answers of a kind it is said. A machine short of breath may leave out an echo or two.
  const CERTAIN = { lost: 2, ended: 2, silent: 5 };
  const WORDS = {
    lost: [said("The lab cannot be reached: the network is down, or its server is."),
           said("This page keeps trying, and comes back by itself with your settings.")],
    ended: [said("The engine behind this page has ended, so its controls no longer answer."),
            said("Reloading starts a new one with your settings; finished results are kept.")],
    silent: [said("Python does not answer, so the controls do nothing."),
             said("If it wakes up, this line goes away; reloading starts another with your settings.")],
  };

  // ---- the notice stands above the page, and what sticks to the top makes room for it
  const height = new ResizeObserver(([entry]) => setHeight(entry.target.offsetHeight));
  const setHeight = (pixels) => document.documentElement.style.setProperty("--notice", `${pixels}px`);
  const show = (problem) => {
    const shown = document.getElementById("lab-notice");
    if (shown?.dataset.problem === problem) return;
    height.disconnect();
    shown?.remove();
    setHeight(0);
    if (!problem) return;
    const bar = document.createElement("div");
    bar.id = "lab-notice";
    bar.dataset.problem = problem;
    bar.setAttribute("role", "alert");
    const words = document.createElement("span");
    words.textContent = WORDS[problem].join(" ");
    bar.append(words);
    if (problem !== "lost") {
      const button = document.createElement("button");
      button.textContent = said("Reload the page");
      button.onclick = () => window.location.reload();
      bar.append(button);
    }
    document.body.prepend(bar);
    height.observe(bar);
  };

  // ---- the line to Python: Jupyter's script gives up after a few tries, and cannot see that a network came back
  const line = () => window.jupyterapp?.widgetManager?.kernel;
  const isOpening = () => document.getElementById("lab-starting")?.hidden === false;
  const reconnect = () => {
    // A page that was still opening would never get its other cells.
    if (isOpening() || line()?.isDisposed) window.location.reload();
    else line()?.reconnect().catch(() => {}); // tried again if need be
  };

  let lastSign = Date.now();
  for (const sign of ["pointermove", "keydown", "scroll", "touchstart"]) {
    document.addEventListener(sign, () => { lastSign = Date.now(); }, { passive: true, capture: true });
  }
  // A page that is being left has closed its line on purpose, and may still wait for the next one.
  let left = -Infinity;
  const isLeaving = () => Date.now() - left < LEAVING;
  window.addEventListener("beforeunload", () => { left = Date.now(); });
  const watch = () => {
    const settings = document.getElementById("jupyter-config-data");
    if (!settings) return; // JupyterLab says it itself
    const { baseUrl, kernelId } = JSON.parse(settings.textContent);
    const opened = Date.now();
    let server = null, started = false, wasLost = false, problem = "", times = 0;

    const question = async () => {
      const reading = !document.hidden && Date.now() - lastSign < AWAY;
      const address = `${baseUrl}alive/${kernelId}${reading ? "?reader=1" : ""}`;
      const answer = await fetch(address, { cache: "no-store", signal: AbortSignal.timeout(PATIENCE) });
      const isOurs = answer.headers.get("content-type")?.includes("json");
      return answer.status === 404 && !isOurs && !server ? null : await answer.json(); // null: not the lab's own server
    };
    const judged = (answer) => {
      started ||= !isOpening() || (answer.alive && answer.answers);
      if (!started && Date.now() - opened < STARTING) return "";
      return answer.alive ? (answer.answers ? "" : "silent") : "ended";
    };
    const ask = async () => {
      let found = "lost", isAnother = false;
      try {
        const answer = await question();
        if (!answer) return;
        server ??= answer.server;
        isAnother = answer.server !== server; // started anew: it knows nothing of this page
        found = judged(answer);
      } catch { /* no answer, or none of the lab's */ }
      if (isLeaving()) return setTimeout(ask, OFTEN);
      if (isAnother) return window.location.reload();
      times = found === problem ? times + 1 : 1;
      problem = found;
      if (!problem || times >= CERTAIN[problem]) show(problem);
      if (!problem && (wasLost || line()?.connectionStatus === "disconnected")) reconnect();
      wasLost = problem === "lost";
      setTimeout(ask, problem ? AGAIN : OFTEN);
    };
    setTimeout(ask, OFTEN);
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", watch);
  else watch();
})();
