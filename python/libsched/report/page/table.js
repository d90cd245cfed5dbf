// The table: only the rows in sight are in the document, between two spacers.

const table = {
  scroll: $("scroll"),
  body: $("table").tBodies[0],
  head: $("table").tHead,
  columns: [],
  active: -1,      // position in model.rows
  first: -1,
  printing: false,
  mostPrinted: 2000,
  rowHeight: document.documentElement.classList.contains("compact") ? 30 : 36,

  // The columns of the kind of values that is chosen; those with nothing to say are folded.
  setColumns() {
    const { kind, folded } = model.state;
    const left = new Set(folded ? model.idle() : []);
    const phone = innerWidth < 600;  // whose 362 pixels show the total too
    const columns = [{ id: "node", title: "Node", width: phone ? 160 : 236 },
      { id: "verdict", title: "Verdict", width: phone ? 84 : 108 }];
    if (data.scorers.length)
      columns.push({ id: "total", title: "Total", width: phone ? 108 : 138, number: true });
    table.plugins = (kind === "filters" ? data.filters : data.scorers).map((_, index) => index).filter(
      (index) => !left.has(index));
    if (kind === "filters") {
      table.plugins.forEach((index) => columns.push({
        id: `p${index}`, title: data.filters[index].name, width: 114, plugin: true,
        note: data.filters[index].skipped ? "skipped" : "" }));
      columns.push({ id: "verdict", title: "Reason", width: 480, repeated: true });
    } else {
      table.plugins.forEach((index) => columns.push({
        id: `p${index}`, title: data.scorers[index].name, width: 112, number: true, plugin: true,
        hue: index, note: data.scorers[index].weight === null ? ""
          : `× ${formatted(data.scorers[index].weight)}` }));
      const rest = data.whys.length ? 480 - 112 * table.plugins.length : 0;
      table.filler = rest > 0;
      if (rest > 0) columns.push({ id: "verdict", title: "", width: rest, repeated: true });
    }
    table.columns = columns;
    const width = columns.reduce((sum, column) => sum + column.width, 0);
    $("table").style.width = `max(100%, ${width}px)`;
    $("table").querySelector("colgroup").replaceChildren(...columns.map((column) => {
      const col = make("col");
      col.style.width = `${column.width}px`;
      return col;
    }));
    $("table").setAttribute("aria-colcount", columns.length);
    table.drawHead();
  },

  drawHead() {
    const { sort, descending } = model.state;
    const focused = document.activeElement?.dataset?.sort;
    table.head.replaceChildren(make("tr", { "aria-rowindex": 1 }, ...table.columns.map((column) => {
      const sorted = sort === column.id && !column.repeated;
      const button = make("button", { type: "button", onclick: () => page.sort(column.id) },
        column.hue === undefined ? null : coloured(column.hue, { class: "dot" }),
        make("span", {}, ...breakable(column.title)),
        make("span", { class: "arrow", "aria-hidden": "true" },
          sorted ? (descending ? "↓" : "↑") : ""));
      if (!column.repeated) button.dataset.sort = column.id;
      if (!column.title) return make("td", { class: "filler" });
      const head = make("th", { scope: "col", class: [column.number ? "number" : "",
        column.plugin ? "plugin" : "", column.id === "node" ? "pinned" : ""].join(" ") }, button,
      column.note ? make("small", {}, column.note) : null);
      if (!column.repeated) {
        head.setAttribute("aria-sort", sorted ? (descending ? "descending" : "ascending") : "none");
      }
      return head;
    })));
    if (focused) table.head.querySelector(`[data-sort="${focused}"]`)?.focus();
  },

  // After the rows have changed.
  reset() {
    $("table").setAttribute("aria-rowcount", model.lines.length + 1);
    $("nothing").hidden = model.rows.length > 0;
    table.active = -1;
    table.first = -1;
    table.draw();
  },

  draw() {
    const height = table.rowHeight, total = model.lines.length;
    if (table.printing) {
      table.body.replaceChildren(...model.lines.slice(0, table.mostPrinted).map((_, at) => table.row(at)));
      return;
    }
    const top = Math.max(0, table.scroll.scrollTop);
    const fitting = Math.ceil(table.scroll.clientHeight / height);
    const first = Math.max(0, Math.min(Math.floor(top / height) - 8, total - 1));
    const even = first - first % 8;
    if (even === table.first) return;
    table.first = even;
    const last = Math.min(total, even + fitting + 32);
    const rows = [];
    for (let at = even; at < last; at++) rows.push(table.row(at));
    table.body.replaceChildren(table.spacer(even), ...rows, table.spacer(total - last));
  },

  spacer(rows) {
    const cell = make("td", { colSpan: table.columns.length });
    const spacer = make("tr", { class: "spacer", "aria-hidden": "true" }, cell);
    spacer.style.height = `${rows * table.rowHeight}px`;
    spacer.hidden = rows <= 0;
    return spacer;
  },

  row(at) {
    const row = model.lines[at];
    if (typeof row !== "number") return table.group(at, row);
    const fits = model.fits(row), best = model.best.has(data.nodes[row]);
    const line = make("tr", {
      class: [fits ? "fits" : "rejected", best ? "best" : "", at === table.active ? "active" : "",
        at % 2 ? "odd" : ""].join(" "),
      "aria-rowindex": at + 2, onclick: () => page.open(at) });
    line.dataset.at = at;
    line.append(make("th", { scope: "row", class: "pinned" },
      named(data.nodes[row], { title: visible(data.nodes[row]) }),
      best ? make("span", { class: "star", title: "highest total" }, "best") : null),
    make("td", { class: "verdict" }, make("span", { class: fits ? "good" : "bad" },
      fits ? "fits" : "doesn’t fit")));
    if (data.scorers.length) {
      line.append(data.total[row] === null ? make("td", { class: "number none" }, "–")
        : make("td", { class: "number total" }, formatted(data.total[row]), stack(row)));
    }
    line.append(...(model.state.kind === "filters" ? table.marks(row) : table.numbers(row)));
    return line;
  },

  // The head of a group: its name, how many of its nodes fit, and the highest total.
  group(at, group) {
    const closed = model.closed.has(group.name);
    const line = make("tr", { class: `group ${at === table.active ? "active" : ""}`,
      "aria-rowindex": at + 2, onclick: () => page.open(at) });
    line.dataset.at = at;
    line.append(make("th", { scope: "rowgroup", class: "pinned", "aria-expanded": String(!closed) },
      make("span", { class: "fold", "aria-hidden": "true" }, closed ? "▸" : "▾"),
      group.name === null ? make("i", {}, "none") : named(group.name, { title: visible(group.name) })),
    make("td", { class: "verdict", title: `${grouped.format(group.fits)} of ${count(group.rows.length, "node")} fit` },
      make("span", { class: group.fits ? "good" : "bad" },
        `${grouped.format(group.fits)} of ${grouped.format(group.rows.length)}`)));
    if (data.scorers.length) {
      line.append(make("td", { class: "number top-total" },
        group.top === null ? "–" : `up to ${formatted(group.top)}`));
    }
    line.append(make("td", { colSpan: table.columns.length - (data.scorers.length ? 3 : 2) },
      meter(group.fits / group.rows.length, group.fits ? "good" : "bad")));
    return line;
  },

  marks(row) {
    return [...table.plugins.map((index) => markCell(model.mark(row, index))),
      make("td", { class: "why", title: table.title(row) }, ...(model.why(row) ? whyText(row) : []))];
  },

  numbers(row) {
    const filler = table.filler ? 1 : 0;
    if (!model.why(row)) {
      return [...table.plugins.map((index) => numberCell(data.scorers[index], row, model.state.kind)),
        ...(filler ? [make("td")] : [])];
    }
    if (!data.scorers.length) return [];
    return [make("td", { class: "why", colSpan: table.plugins.length + filler, title: table.title(row) },
      ...whyText(row))];
  },

  title: (row) => [model.whyText(row), ...model.factTexts(row)].map(visible).join("\n"),

  // Moves the active row and keeps it in sight.
  walk(to) {
    const total = model.lines.length;
    if (!total) return;
    const at = Math.max(0, Math.min(to, total - 1));
    table.active = at;
    const top = at * table.rowHeight, room = table.scroll.clientHeight - table.head.offsetHeight;
    if (top < table.scroll.scrollTop) table.scroll.scrollTop = top;
    else if (top + table.rowHeight > table.scroll.scrollTop + room) {
      table.scroll.scrollTop = top + table.rowHeight - room;
    }
    table.first = -1;
    table.draw();
  },
};
