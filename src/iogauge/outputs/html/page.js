"use strict";
(() => {
  const drawn = JSON.parse(document.getElementById("drawn").textContent);
  for (const each of drawn) {
    each.rows = Array.from({ length: each.packed.rows }, () => ({}));
    for (const { key, words, values } of each.packed.columns) values.forEach((value, row) => { each.rows[row][key] = words ? words[value] : value; });
  }
  const figures = [...document.querySelectorAll("figure[data-kind]")];
  const form = document.getElementById("filters");
  const names = ["language", "strategy", "size", "state"];
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const mostPrinted = 100; // rows of a table that stands in for a drawing

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
    const [ink, line] = dark.matches ? ["#c9cfd6", "#3a4048"] : ["#3d434b", "#dfe3e8"];
    const axis = { labelColor: ink, titleColor: ink, gridColor: line, domainColor: line, tickColor: line, labelFontSize: 12 };
    const beside = Math.min(380, Math.round(width * 0.4));
    const legend = { labelColor: ink, titleColor: ink, labelFontSize: 12, columns: Math.max(1, Math.floor(width / 280)), labelLimit: Math.min(320, width - 40 - (named ? beside : 60)) };
    if (width < 600) legend.layout = { bottom: { direction: "vertical", anchor: "start" } };
    const axisY = width < 600 ? { labelLimit: beside, labelFontSize: 10, labelLineHeight: 11 } : { labelLimit: beside };
    return { background: "transparent", axis, axisY, legend, point: { opacity: 1 }, view: { stroke: line }, font: "system-ui, sans-serif" };
  };

  const draw = async (number, turn) => {
    const { spec, rows, lazy } = drawn[number];
    const place = figures[number].querySelector(".chart");
    if (turn !== place.turn || (lazy && !place.closest("details").open)) return;
    const by = allowed();
    const shown = rows.filter((row) => kept(row, by));
    if (place.view) place.view.finalize();
    place.view = null;
    place.textContent = shown.length ? "" : "Nothing is left by these filters.";
    if (shown.length) {
      const options = { actions: false, renderer: "svg", ast: true, logLevel: 1, config: look(place.clientWidth, !["blocks", "sizes"].includes(figures[number].dataset.kind)) };
      place.view = (await window.vegaEmbed(place, { ...spec, datasets: { rows: shown } }, options)).view;
    }
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
  const drawAll = () => Promise.all(drawn.map((_, number) => redraw(number)));

  // The table of what is drawn on request is made on request too: there may be thousands of rows.
  const fill = (number) => {
    const { rows, columns, cells } = drawn[number];
    const body = figures[number].querySelector("tbody"), by = allowed();
    if (!cells || body.rows.length) return;
    cells.rows.forEach((row, place) => {
      const line = body.insertRow();
      for (const name of names) if (rows[place][name] != null) line.dataset[name] = rows[place][name];
      row.forEach((word, column) => {
        const cell = line.insertCell();
        cell.textContent = cells.words[word];
        if (columns[column].number) cell.className = "number";
      });
      line.hidden = !kept(line.dataset, by);
    });
  };

  const filter = () => {
    const by = allowed();
    let shown = 0, all = 0;
    for (const row of document.querySelectorAll("tbody tr")) {
      row.hidden = !kept(row.dataset, by);
    }
    for (const { rows } of drawn) { all += rows.length; shown += rows.filter((row) => kept(row, by)).length; }
    document.getElementById("shown").textContent = shown === all ? "" : `${shown} of ${all} points are shown`;
    return drawAll();
  };

  // On paper a table takes the place of what was not drawn, and what has too many rows for that is left out.
  const beforePrint = () => figures.forEach((figure, number) => {
    if (figure.querySelector(".chart svg")) return;
    const behind = figure.querySelector("details.behind");
    figure.dataset.printed = drawn[number].rows.length > mostPrinted ? "nothing" : "table";
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
    const details = figure.querySelector("details.drawing");
    if (details) details.addEventListener("toggle", () => redraw(number));
    figure.querySelector("details.behind").addEventListener("toggle", () => fill(number));
  });
  dark.addEventListener("change", drawAll);
  addEventListener("beforeprint", beforePrint);
  addEventListener("afterprint", afterPrint);
  (form ? filter() : drawAll()).then(() => document.body.setAttribute("data-ready", ""));
})();
