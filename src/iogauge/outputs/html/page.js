"use strict";
(() => {
  const figures = [...document.querySelectorAll("figure[data-kind]")];
  const form = document.getElementById("filters");
  const names = ["language", "strategy", "size", "state"];
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const mostPrinted = 100; // rows of a table that stands in for a drawing

  // What only unfolded parts need is packed, and unpacked when the first of them is.
  const once = (make) => { let made; return () => (made = made || make()); };
  const unpacked = async (id) => {
    const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (each) => each.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  };
  const library = once(async () => {
    const script = document.createElement("script");
    script.textContent = await unpacked("library");
    document.head.append(script);
    return window.vegaEmbed;
  });
  let ready = null; // the figures, as soon as they are unpacked
  const data = once(async () => {
    const found = JSON.parse(await unpacked("drawn"));
    for (const each of found) {
      each.rows = Array.from({ length: each.packed.rows }, () => ({}));
      for (const { key, words, values } of each.packed.columns) values.forEach((value, row) => { each.rows[row][key] = words ? words[value] : value; });
    }
    return (ready = found);
  });

  const allowed = () => {
    const found = {};
    if (!form) return found;
    for (const name of names) {
      const boxes = [...form.querySelectorAll(`input[name="${name}"]`)];
      if (boxes.some((box) => !box.checked)) found[name] = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
    }
    return found;
  };
  // What has no such property (a ceiling has no language) is not filtered by it.
  const kept = (row, by) => names.every((name) => !by[name] || row[name] == null || by[name].has(String(row[name])));

  // Names take a part of the width at most, so that a phone has some left for the picture; there one legend stands below the other.
  const look = (width, named) => {
    const style = getComputedStyle(document.documentElement), [ink, line] = ["--quiet", "--line"].map((each) => style.getPropertyValue(each).trim());
    const axis = { labelColor: ink, titleColor: ink, gridColor: line, domainColor: line, tickColor: line, labelFontSize: 12 };
    const beside = Math.min(380, Math.round(width * 0.4));
    const legend = { labelColor: ink, titleColor: ink, labelFontSize: 12, columns: Math.max(1, Math.floor(width / 280)), labelLimit: Math.min(320, width - 40 - (named ? beside : 60)) };
    if (width < 600) legend.layout = { bottom: { direction: "vertical", anchor: "start" } };
    const axisY = width < 600 ? { labelLimit: beside, labelFontSize: 10, labelLineHeight: 11 } : { labelLimit: beside };
    return { background: "transparent", axis, axisY, legend, point: { opacity: 1 }, view: { stroke: line }, font: "system-ui, sans-serif" };
  };

  const draw = async (number, turn) => {
    const place = figures[number].querySelector(".chart");
    const [embed, { spec, rows }] = await Promise.all([library(), data().then((found) => found[figures[number].number])]);
    if (turn !== place.turn || !place.clientWidth) return;
    const by = allowed();
    const shown = rows.filter((row) => kept(row, by));
    if (place.view) place.view.finalize();
    place.view = null;
    place.textContent = shown.length ? "" : "Nothing is left by these filters.";
    if (shown.length) {
      const options = { actions: false, renderer: "svg", ast: true, logLevel: 1, config: look(place.clientWidth, !["blocks", "sizes"].includes(figures[number].dataset.kind)) };
      place.view = (await embed(place, { ...spec, datasets: { rows: shown } }, options)).view;
    }
    place.style.minHeight = "";
    place.dataset.drawn = String(shown.length);
  };
  // One drawing of a figure after the other: of two at once the older might end last. What was asked for anew meanwhile is not begun.
  const redraw = (number) => {
    const place = figures[number].querySelector(".chart");
    const turn = (place.turn = (place.turn || 0) + 1);
    const next = () => draw(number, turn);
    place.queue = (place.queue || Promise.resolve()).then(next, next);
    return place.queue;
  };
  // Drawn is what comes into sight, and from then on what was drawn.
  const drawAgain = () => Promise.all(figures.map((figure, number) => (figure.querySelector(".chart").turn ? redraw(number) : null)));
  const sight = new IntersectionObserver((seen) => {
    for (const { target, isIntersecting } of seen) {
      if (!isIntersecting) continue;
      sight.unobserve(target);
      redraw(figures.indexOf(target.closest("figure")));
    }
  }, { rootMargin: "600px" });

  const fill = (number) => {
    const { rows, cells, numbers } = ready[figures[number].number];
    const body = figures[number].querySelector("tbody"), by = allowed();
    if (body.rows.length) return;
    cells.rows.forEach((row, place) => {
      const line = body.insertRow();
      for (const name of names) if (rows[place][name] != null) line.dataset[name] = rows[place][name];
      row.forEach((word, column) => {
        const cell = line.insertCell();
        cell.textContent = cells.words[word];
        if (numbers[column]) cell.className = "number";
      });
      line.hidden = !kept(line.dataset, by);
    });
  };

  const filter = async () => {
    const by = allowed();
    for (const row of document.querySelectorAll("tbody tr")) row.hidden = !kept(row.dataset, by);
    let shown = 0, all = 0;
    for (const { rows } of await data()) { all += rows.length; shown += rows.filter((row) => kept(row, by)).length; }
    document.getElementById("shown").textContent = shown === all ? "" : `${shown} of ${all} points are shown`;
    return drawAgain();
  };

  // On paper a table takes the place of what was not drawn, and what has too many rows for that is left out. What is folded stays so.
  const beforePrint = () => figures.forEach((figure, number) => {
    if (!ready || figure.querySelector(".chart svg") || !figure.offsetParent) return;
    const behind = figure.querySelector("details.behind");
    figure.dataset.printed = ready[figure.number].rows.length > mostPrinted ? "nothing" : "table";
    if (behind.open || figure.dataset.printed === "nothing") return;
    fill(number);
    behind.open = behind.opened = true;
  });
  const afterPrint = () => figures.forEach((figure) => {
    const behind = figure.querySelector("details.behind");
    if (behind.opened) behind.open = behind.opened = false;
    delete figure.dataset.printed;
  });

  if (form) {
    form.addEventListener("change", filter);
    form.addEventListener("reset", () => setTimeout(filter));
    form.addEventListener("submit", (event) => event.preventDefault());
  }
  figures.forEach((figure, number) => {
    figure.number = Number(figure.id.slice("figure-".length));
    figure.querySelector("details.behind").addEventListener("toggle", () => data().then(() => fill(number)));
    sight.observe(figure.querySelector(".chart"));
  });
  dark.addEventListener("change", drawAgain);
  addEventListener("beforeprint", beforePrint);
  addEventListener("afterprint", afterPrint);
  // A browser keeps what was filled in when it opens a page again.
  Promise.resolve(form && [...form.querySelectorAll("input")].some((box) => !box.checked) ? filter() : null).then(() => document.body.setAttribute("data-ready", ""));
})();
