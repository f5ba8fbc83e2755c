// Charts answer the pointer. A chart brings its points along as a list that screen readers read and arrow keys walk;
// the one nearest to the pointer, or the one walked to, gets a ring and a tooltip with its name and numbers.
(() => {
  if (window.dpmiaCharts) return;
  window.dpmiaCharts = true;
  const NEAR = 24; // pixels from the pointer to a point
  const SHARP = 3; // a kept picture's pixels for one on the page
  let shown = null; // the point
  let held = null; // where it was, should its chart be drawn anew: the place, its name, its position, how it was found
  let before = null; // the point shown when the pointer went down: a first tap shows, a second one opens
  let pointer = { x: 0, y: 0 };
  let picks = 0;

  const made = (name) => {
    const part = document.createElement("div");
    part.className = name;
    part.hidden = true;
    part.setAttribute("aria-hidden", "true"); // the list says the same
    document.body.append(part);
    return part;
  };
  let ring = null;
  let tip = null;

  // ---- where points are
  const pointsOf = (plot) => [...plot.querySelectorAll("[role=option]")];
  const placeOf = (point) => {
    const box = point.getBoundingClientRect();
    return { x: box.left, y: box.top };
  };
  const away = (one, other) => Math.hypot(one.x - other.x, one.y - other.y);
  const nearest = (points, place, within = Infinity) => {
    let found = null;
    let least = within;
    for (const point of points) {
      const distance = away(placeOf(point), place);
      if (distance < least || (distance === least && found)) [found, least] = [point, distance];
    }
    return found;
  };

  // ---- showing one
  const show = (point, byKeys) => {
    if (shown && shown !== point) {
      shown.removeAttribute("aria-selected");
      shown.parentElement.removeAttribute("aria-activedescendant");
      shown.parentElement.classList.remove("dp-opens");
    }
    shown = point;
    if (!point) {
      held = null;
      if (ring) ring.hidden = tip.hidden = true;
      return;
    }
    ring ??= made("dp-ring");
    tip ??= made("dp-tip");
    const list = point.parentElement;
    list.setAttribute("aria-activedescendant", point.id);
    list.classList.toggle("dp-opens", Boolean(point.dataset.key));
    point.setAttribute("aria-selected", "true");
    tip.innerHTML = point.innerHTML;
    if (point.dataset.key) tip.insertAdjacentHTML("beforeend", "<i>Click, or press Enter, to show it.</i>");
    ring.hidden = tip.hidden = false;
    held = { place: list.closest(".dp-chart"), name: point.firstChild.textContent, byKeys };
    put();
  };
  const put = () => {
    const at = placeOf(shown);
    ring.style.left = `${at.x}px`;
    ring.style.top = `${at.y}px`;
    const { clientWidth, clientHeight } = document.documentElement;
    const { width, height } = tip.getBoundingClientRect();
    const left = at.x + 18 + width <= clientWidth - 8 ? at.x + 18 : at.x - 18 - width;
    tip.style.left = `${Math.max(8, Math.min(left, clientWidth - 8 - width))}px`;
    const top = left < 8 ? at.y + 18 : at.y - height / 2; // no room beside it: below
    tip.style.top = `${Math.max(8, Math.min(top, clientHeight - 8 - height))}px`;
    held.at = at;
  };

  // ---- a chart drawn anew, in place: the same point stays shown, and the keyboard stays where it was
  const follow = () => {
    if (!shown || shown.isConnected) return;
    const { place, name, byKeys, at } = held;
    const list = place?.isConnected ? place.querySelector(".dp-points") : null;
    shown = null;
    if (!list) return show(null);
    const points = pointsOf(list);
    if (!byKeys) return show(nearest(points, pointer, NEAR), false);
    const same = points.filter((point) => point.firstChild.textContent === name);
    const point = nearest(same.length ? same : points, at);
    held = null;
    list.focus({ preventScroll: true });
    show(point, true);
  };

  // ---- pointer
  const pointed = (event) => {
    pointer = { x: event.clientX, y: event.clientY };
    const plot = event.target.closest?.(".dp-plot");
    if (plot) show(nearest(pointsOf(plot), pointer, NEAR), false);
    else if (shown && !held.byKeys) show(null);
    return plot;
  };
  const pick = (point) => {
    if (!point.dataset.key) return;
    const words = JSON.stringify([point.closest(".dp-plot").dataset.chart, point.dataset.key, ++picks]);
    for (const field of document.querySelectorAll(".dp-picked input")) window.dpmiaLab.write(field, words);
  };
  document.addEventListener("pointermove", (event) => { if (event.pointerType !== "touch") pointed(event); });
  document.addEventListener("pointerdown", () => { before = shown; }, { capture: true });
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("[data-lab-chart]");
    if (link) {
      event.preventDefault();
      keep(link);
    } else if (pointed(event) && shown && shown === before) pick(shown);
  });

  // ---- keys: left and right along the points, up and down to the neighbouring line, Enter opens
  const walked = (points, point, key) => {
    const at = points.indexOf(point);
    if (key === "Home") return points[0];
    if (key === "End") return points.at(-1);
    if (key === "ArrowRight") return points[Math.min(at + 1, points.length - 1)];
    if (key === "ArrowLeft") return points[Math.max(at - 1, 0)];
    const down = key === "ArrowDown";
    const others = points.filter((other, i) => other.dataset.line !== point.dataset.line && i > at === down);
    const line = (down ? others[0] : others.at(-1))?.dataset.line;
    return nearest(others.filter((other) => other.dataset.line === line), placeOf(point)) ?? point;
  };
  document.addEventListener("keydown", (event) => {
    const list = event.target;
    if (!list.matches?.(".dp-points")) return;
    const points = pointsOf(list);
    const now = shown?.parentElement === list ? shown : points[0];
    if (["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"].includes(event.key)) {
      event.preventDefault();
      show(shown === now ? walked(points, now, event.key) : now, true);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      pick(now);
    } else if (event.key === "Escape") show(null);
  });
  document.addEventListener("focusin", (event) => {
    const list = event.target;
    if (list.matches(".dp-points") && list.matches(":focus-visible") && shown?.parentElement !== list) {
      show(pointsOf(list)[0], true);
    }
  });
  document.addEventListener("focusout", ({ target }) => {
    if (!target.matches(".dp-points")) return;
    // A list that is being replaced loses the focus too, while it still stands there: see what becomes of it.
    queueMicrotask(() => { if (held?.byKeys && target.isConnected && target.contains(shown)) show(null); });
  });
  window.addEventListener("scroll", () => { if (shown?.isConnected) put(); }, { capture: true, passive: true });
  window.addEventListener("resize", () => { if (shown?.isConnected) put(); });

  // ---- a chart as a picture for slides, made here: Python need not draw or send it a second time
  const keep = async (link) => {
    const svg = document.querySelector(`.dp-plot[data-chart="${link.dataset.labChart}"] svg`);
    const image = new Image();
    image.src = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml" }));
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = SHARP * svg.getAttribute("width");
    canvas.height = SHARP * svg.getAttribute("height");
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    URL.revokeObjectURL(image.src);
    const file = await new Promise((done) => canvas.toBlob(done, "image/png"));
    const saved = document.createElement("a");
    saved.download = link.download;
    saved.href = URL.createObjectURL(file);
    saved.click();
    setTimeout(() => URL.revokeObjectURL(saved.href), 60_000);
  };

  const start = () => new MutationObserver(follow).observe(document.body, { childList: true, subtree: true });
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
