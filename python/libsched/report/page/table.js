// The table: only the rows in sight are in the document, between two spacers.

const table = {
  scroll: $("scroll"),
  body: $("table").tBodies[0],
  head: $("table").tHead,
  columns: [],
  active: -1,      // position in model.rows
  first: -1,
  rowHeight: document.documentElement.classList.contains("compact") ? 30 : 36,

  // The columns of the kind of values that is chosen.
  setColumns() {
    const { kind } = model.state;
    const columns = [{ id: "node", title: "Node", width: 236 },
      { id: "verdict", title: "Verdict", width: 108 }];
    if (data.scorers.length) columns.push({ id: "total", title: "Total", width: 138, number: true });
    if (kind === "filters") {
      data.filters.forEach((filter, index) => columns.push({
        id: `p${index}`, title: filter.name, width: 114, plugin: true,
        note: filter.skipped ? "skipped" : "" }));
      columns.push({ id: "verdict", title: "Reason", width: 380, repeated: true });
    } else {
      data.scorers.forEach((scorer, index) => columns.push({
        id: `p${index}`, title: scorer.name, width: 112, number: true, plugin: true, hue: index,
        note: scorer.weight === null ? "" : `× ${formatted(scorer.weight)}` }));
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
    $("table").setAttribute("aria-rowcount", model.rows.length + 1);
    $("nothing").hidden = model.rows.length > 0;
    table.active = -1;
    table.first = -1;
    table.draw();
  },

  draw() {
    const height = table.rowHeight, total = model.rows.length;
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
    const row = model.rows[at], fits = model.fits(row), best = model.best.has(data.nodes[row]);
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

  marks(row) {
    const why = model.why(row);
    return [...data.filters.map((filter, index) => markCell(model.mark(row, index))),
      make("td", { class: "why" }, ...(why ? reasonText(why) : []))];
  },

  numbers(row) {
    const why = model.why(row);
    if (!why) return data.scorers.map((scorer) => numberCell(scorer, row, model.state.kind));
    if (!data.scorers.length) return [];
    return [make("td", { class: "why", colSpan: data.scorers.length,
      title: visible(model.whyText(row)) }, ...reasonText(why))];
  },

  // Moves the active row and keeps it in sight.
  walk(to) {
    const total = model.rows.length;
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
