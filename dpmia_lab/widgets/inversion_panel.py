"""The main panel of lesson 1: train a model, invert it, look, measure, compare."""

import json
import tempfile
import time
from dataclasses import replace
from html import escape
from pathlib import Path

import ipywidgets as widgets

from dpmia_lab.checks import Mistake
from dpmia_lab.data import catalogue, from_upload
from dpmia_lab.data.cache import cache_folder
from dpmia_lab.experiments import inversion
from dpmia_lab.experiments.configs import changed_from, text_of
from dpmia_lab.experiments.inversion import PRESETS, Config
from dpmia_lab.stages import Event, Progress, Stage
from dpmia_lab.store import Result, Store
from dpmia_lab.widgets.controls import Controls, choice, number_text
from dpmia_lab.widgets.inversion_controls import OWN, PRESET_WORDS, REASONS, WORDS, new_controls
from dpmia_lab.widgets.inversion_view import InversionView
from dpmia_lab.widgets.links import config_or_default, page_query, query_of
from dpmia_lab.widgets.parts import RunBar, error_html, on_change, page_poster, page_width, panel, text, with_classes
from dpmia_lab.widgets.pictures import picture_html
from dpmia_lab.widgets.runner import Runner
from dpmia_lab.widgets.runs import Run, RunTable


class InversionPanel:
    """``panel.view`` is the widget; ``panel.table.runs`` and ``panel.last`` are what tasks look at."""

    def __init__(self, query: str | None = None, store: Store | None = None) -> None:
        self.store = store or Store(cache_folder() / "results")
        self.runner = Runner(page_poster())
        self.uploads = tempfile.TemporaryDirectory(prefix="dpmia_lab_")
        self.uploaded: Path | None = None
        self.last: Run | None = None
        self.listeners = []  # called with every finished run
        self.seen = InversionView()
        self.bar = RunBar("Train and attack", self.run, self.stop)
        self.problem, self.stale = text(""), text("", "dp-stale-place")
        self.link, self.compared = text("", "dp-link"), text("", "dp-compared")
        self.table = RunTable(summary, self.chosen)
        self.kept, self.recalled = text(), with_classes(widgets.Text(), "dp-recall", "dp-hidden")
        on_change(self.recalled, self.recall)
        self.available = {e.name: e for e in catalogue() if e.available}
        names = tuple(self.available)
        start, complaint = config_or_default(page_query() if query is None else query, inversion, names)
        sets = [(entry.title, name) for name, entry in self.available.items()]
        self.controls = Controls(self.config, new_controls(sets), REASONS, self.changed)
        self.preset = with_classes(
            choice("start from", [("settings of your own", ""), *((PRESET_WORDS[name], name) for name in PRESETS)]),
            "dp-field",
            "dp-preset",
        )
        self.upload = with_classes(
            widgets.FileUpload(
                accept=".npz,.zip", multiple=False, description="Choose an .npz or .zip (at most 20 MB)"
            ),
            "dp-upload",
        )
        on_change(self.upload, lambda _: self.take_upload())
        self.width = page_width(self.seen.set_page_width)
        self.view = self._layout()
        self.set(start)
        on_change(self.preset, lambda name: self.set(PRESETS[name]) if name else None)
        self.problem.value = error_html(complaint)

    def _layout(self) -> widgets.VBox:
        controls = [
            self.preset,
            text("<h4>The model</h4>"),
            self.controls.group("data"),
            self.upload,
            self.controls.group("people", "model"),
            text("<h4>The attack</h4>"),
            self.controls.group("attack", "prior", "lam", "steps", "rate", "box", "process", "smooth", "seed"),
            self.bar,
            self.problem,
        ]
        results = [
            self.stale,
            self.seen.view,
            self.table.view,
            self.compared,
            self.link,
            self.width,
            self.kept,
            self.recalled,
        ]
        return panel(controls, results, "dp-inversion")

    # ---- settings
    def set(self, config: Config) -> None:
        self.base = config  # also what has no control of its own: pictures a person, their height
        self.controls.set(config)

    def config(self, **values) -> Config:
        if values["data"] == OWN:
            if self.uploaded is None:
                raise Mistake("data must be a file you chose; none is chosen yet.")
            values["data"] = str(self.uploaded)
        return replace(self.base, **values)

    def changed(self) -> None:
        """Some control moved: nothing is computed, but what is shown may no longer be what is set."""
        self.problem.value = ""
        self.upload.layout.display = "" if self.controls.values()["data"] == OWN else "none"
        try:
            config = self.controls.config()
        except Mistake as mistake:
            self.problem.value = error_html(str(mistake))
            return
        self.preset.value = next((name for name, preset in PRESETS.items() if preset == config), "")
        self._show_link(config)
        self._mark_stale(config)

    def _mark_stale(self, config: Config) -> None:
        different = changed_from(config, self.last.config) if self.last else {}
        if not different or self.runner.running:
            self.stale.value = ""
            self.view.remove_class("dp-is-stale")
            return
        was = ", ".join(f"{self._words(name)} = {self._shown(name)}" for name in different)
        self.stale.value = (
            f'<div class="dp-stale" role="status">What you see is for {was}. '
            f"Press <b>{self.bar.run.description}</b> to see your new settings.</div>"
        )
        self.view.add_class("dp-is-stale")

    def _words(self, name: str) -> str:
        return escape(self.controls.made[name].description if name in self.controls.made else name)

    def _shown(self, name: str) -> str:
        """The last run's value of a setting; of a file, its name only."""
        value = getattr(self.last.config, name)
        return escape(Path(value).name if name == "data" else text_of(value))

    def _show_link(self, config: Config) -> None:
        if self.is_upload(config):
            self.link.value = '<small class="dp-soft">A link cannot carry your own file.</small>'
            return
        query = escape(query_of(config, inversion))
        self.link.value = (
            f'<div class="dp-section"><small>These settings as a link: <a href="{query}" data-lab-link="{query}">'
            f'{query}</a></small> <button class="dp-small" data-lab-copy="{query}">Copy link</button></div>'
        )

    def take_upload(self) -> None:
        """Check the visitor's file at once, and keep it for as long as the page lives."""
        if not self.upload.value:
            return
        self.uploaded = None  # a refused file must not leave an earlier one in its place
        given = self.upload.value[0]
        name, content = Path(given["name"]).name, bytes(given["content"])
        try:
            data = from_upload(name, content, seed=0)
        except Mistake as mistake:
            self.problem.value = error_html(str(mistake))
            return
        self.uploaded = Path(tempfile.mkdtemp(dir=self.uploads.name)) / name  # its own folder: names may repeat
        self.uploaded.write_bytes(content)
        self.changed()
        self.problem.value = (
            f'<div class="dp-note">{escape(name)}: {len(data.train_x) + len(data.test_x)} pictures of '
            f"{data.classes} classes, {data.shape[1]} × {data.shape[2]} pixels.</div>"
        )

    # ---- running
    def run(self) -> None:
        self.problem.value = ""
        try:
            config = self.controls.config()
        except Mistake as mistake:
            self.problem.value = error_html(str(mistake))
            return
        kept = self.store.get("inversion", vars(config))
        if kept is not None:
            result, record = kept
            self.finished(config, result, record["seconds"], f"recalled; computed before, {record['device']}")
            return
        self.bar.started()
        self.stale.value = ""
        self.view.remove_class("dp-is-stale")
        self.view.add_class("dp-is-running")
        start = time.monotonic()
        self.runner.start(
            lambda: self.stage(config),
            self.happened,
            lambda outcome, problem: self.ended(config, outcome, problem, time.monotonic() - start),
        )

    def stage(self, config: Config) -> Stage[tuple[Result, str]]:
        """The experiment; its result is also stored, so that the same settings come back at once."""
        yield Progress(0, 1, "loading PyTorch")
        from dpmia_lab.devices import best_device, described

        start = time.monotonic()
        result = yield from inversion.run(config)
        seconds = round(time.monotonic() - start, 2)
        device = described(best_device())
        if not self.is_upload(config):
            try:
                self.store.put("inversion", vars(config), result, {"seconds": seconds, "device": device})
            except OSError:
                pass  # a full disk costs the convenience, not the result
        return result, device

    def stop(self) -> None:
        self.runner.stop()

    def happened(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, Progress):
                self.bar.show(event)
            elif event.name == "truth":
                self.seen.begin(event.array)
            else:
                self.seen.live(event.array, event.step)

    def ended(self, config: Config, outcome, problem: str | None, seconds: float) -> None:
        self.view.remove_class("dp-is-running")
        if outcome is not None:
            result, device = outcome
            self.finished(config, result, seconds, f"{seconds:.1f} s, {device}")
            return
        if self.last is not None:  # what was shown before comes back, and is marked if it is stale
            self.seen.show(self.last.result)
        self.changed()
        self.bar.idle("stopped" if problem is None else "")
        if problem is not None:
            self.problem.value = error_html(problem)

    def finished(self, config: Config, result: Result, seconds: float, about: str) -> None:
        again = next((run for run in self.table.runs if run.config == config), None)
        self.last = again or self.table.add(config, result, seconds, about)
        self.seen.show(result)
        self.bar.idle(escape(about))
        self.changed()
        for listener in self.listeners:
            listener(self.last)

    def chosen(self) -> None:
        """Some run was ticked or removed: compare the ticked ones, and let the browser remember the kept."""
        self.compared.value = compared_html([run for run in self.table.runs if run.compared])
        links = [
            query_of(run.config, inversion) for run in self.table.runs if run.kept and not self.is_upload(run.config)
        ]
        self.kept.value = f'<span data-lab-kept="{escape(json.dumps(links[::-1]))}"></span>'

    def recall(self, links: str) -> None:
        """The runs this browser kept on an earlier visit, where the store still has them."""
        for link in json.loads(links)[: self.table.most]:
            config, complaint = config_or_default(link.removeprefix("?"), inversion, tuple(self.available))
            stored = None if complaint else self.store.get("inversion", vars(config))
            if stored is not None:
                result, record = stored
                self.table.add(
                    config, result, record["seconds"], f"kept; computed before, {record['device']}", kept=True
                )
        self.chosen()

    def is_upload(self, config: Config) -> bool:
        return Path(self.uploads.name) in Path(config.data).parents


def compared_html(runs: list[Run]) -> str:
    """The same people, a row a run."""
    lines = []
    for run in runs:
        arrays = run.result.arrays
        pictures = "".join(
            picture_html(x, f"run {run.number}, {name}")
            for x, name in zip(arrays["reconstruction"][:8], arrays["names"][:8], strict=True)
        )
        lines.append(f"<h4>Run {run.number}: {summary(run)}</h4><div class='dp-strip'>{pictures}</div>")
    return "".join(lines)


def summary(run: Run) -> str:
    """What was done and what came out, in a line that tells two runs apart."""
    c, n = run.config, run.result.numbers
    how = [f"{WORDS[c.model]} on {escape(Path(c.data).name)}"]
    if c.data.split(":")[0] in ("faces", "att_faces"):
        how.append(f"{c.people} people")
    how.append(f"{c.attack} attack")
    if c.attack == "enhanced":
        how.append(f"prior {WORDS[c.prior]}" + (f", λ = {number_text(c.lam)}" if c.prior != "none" else ""))
        how += [] if c.box else ["no box"]
    else:
        how += [] if c.process == "none" else [c.process]
    how.append(f"T = {c.steps}, η = {number_text(c.rate)}")
    how += [f"blur {c.smooth:g}"] if c.smooth else []
    return (
        f"{', '.join(how)}, seed {c.seed}: "
        f'<span class="dp-exposed">{n["recognised_share"]:.0%} recognised</span>, '
        f"distance {n['distance_mean']:.2f} (noise {n['distance_mean_noise']:.2f})"
    )
