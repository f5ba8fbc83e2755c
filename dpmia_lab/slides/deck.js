// Moves through a deck: keys, clicks, touches, an overview, speaker notes. Everything it needs is in this file.
(() => {
  const page = document.body, root = document.documentElement;
  const slides = [...document.querySelectorAll("main > section")];
  const notes = document.querySelector(".deck-notes"), place = document.querySelector(".deck-place");
  let now = 0;

  const later = (slide) => [...slide.querySelectorAll(".deck-later")];
  const fit = () => root.style.setProperty("--scale", Math.min(innerWidth / 1280, innerHeight / 720));
  const inOverview = () => page.classList.contains("deck-over");

  function show(number, whole) {
    now = Math.max(0, Math.min(slides.length - 1, number));
    slides.forEach((slide, i) => slide.classList.toggle("deck-now", i === now));
    later(slides[now]).forEach((part) => part.classList.toggle("deck-shown", whole));
    page.classList.toggle("deck-first", now === 0);
    place.textContent = `${now + 1} / ${slides.length}`;
    notes.innerHTML = slides[now].querySelector(".deck-note")?.innerHTML ?? "<p>No notes for this slide.</p>";
    history.replaceState(null, "", `#${now + 1}`);
  }

  function next() {
    const hidden = later(slides[now]).find((part) => !part.classList.contains("deck-shown"));
    if (hidden) hidden.classList.add("deck-shown");
    else if (now < slides.length - 1) show(now + 1, false);
  }
  const back = () => now > 0 && show(now - 1, true);

  function overview(on) {
    page.classList.toggle("deck-over", on);
    if (on) slides[now].scrollIntoView({ block: "center" });
    else scrollTo(0, 0);
  }

  const KEYS = {
    ArrowRight: next, ArrowDown: next, PageDown: next, " ": next, Enter: next,
    ArrowLeft: back, ArrowUp: back, PageUp: back, Backspace: back,
    Home: () => show(0, false), End: () => show(slides.length - 1, true),
    o: () => overview(!inOverview()), Escape: () => overview(false),
    n: () => { notes.hidden = !notes.hidden; },
    d: () => root.classList.toggle("dp-dark"),
    f: () => (document.fullscreenElement ? document.exitFullscreen() : root.requestFullscreen()),
    p: () => print(),
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("a")) return;
    const act = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (act) { event.preventDefault(); act(); }
  });
  addEventListener("click", (event) => {
    if (event.target.closest("a, .deck-notes")) return;
    const chosen = slides.indexOf(event.target.closest("section"));
    if (inOverview()) { if (chosen >= 0) { show(chosen, true); overview(false); } }
    else if (event.clientX < innerWidth / 4) back();
    else next();
  });
  let start = null;
  addEventListener("touchstart", (event) => { start = event.touches[0].clientX; }, { passive: true });
  addEventListener("touchend", (event) => {
    const moved = start === null ? 0 : event.changedTouches[0].clientX - start;
    start = null;
    if (inOverview() || Math.abs(moved) < 40) return;
    event.preventDefault(); // no click after a swipe
    (moved < 0 ? next : back)();
  }, { passive: false });
  addEventListener("resize", fit);
  addEventListener("hashchange", () => show(Number(location.hash.slice(1)) - 1 || 0, true));

  page.classList.add("deck-ready");
  root.classList.toggle("dp-dark", matchMedia("(prefers-color-scheme: dark)").matches);
  fit();
  show(Number(location.hash.slice(1)) - 1 || 0, false);
})();
