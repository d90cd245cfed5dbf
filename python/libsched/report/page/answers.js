// The page about an answer of many pods: a summary, and tables to sort, search and group.

const answer = JSON.parse($("data").textContent);

const view = {
  rowHeight: 36,
  mostPrinted: 2000,
  state: null,
  lines: [],
  rows: [],
  active: -1,
  first: -1,
  printing: false,
  scroll: $("scroll"),
  body: $("table").tBodies[0],
  head: $("table").tHead,

  get table() { return answer.tables[view.state.tab]; },

  // Shows a table; a filter is a pair of a column and its value.
  open(tab, filter = null) {
    const { columns } = answer.tables[tab];
    view.state = { tab, search: "", sort: -1, descending: false, group: -1, filter, closed: new Set() };
    $("search").value = "";
    $("tabs").querySelectorAll("input").forEach((input, at) => { input.checked = at === tab; });
    $("group").replaceChildren(make("option", { value: -1 }, "No groups"),
      ...columns.flatMap((column, at) => column.group ? [make("option", { value: at }, visible(column.title))] : []));
    $("grouping").hidden = $("group").options.length < 2;
    const width = columns.reduce((sum, column) => sum + column.width, 0);
    $("table").style.width = `max(100%, ${width}px)`;
    $("table").querySelector("colgroup").replaceChildren(...columns.map((column) => {
      const col = make("col");
      col.style.width = `${column.width}px`;
      return col;
    }));
    $("table").setAttribute("aria-colcount", columns.length);
    view.tops = columns.map((column, at) => column.kind === "bar"
      ? view.table.rows.reduce((top, row) => Math.max(top, Number(row[at])), 0) : 0);
    view.texts = [];
    view.drawHead();
    view.refresh();
  },

  // A row as search sees it.
  text(at) {
    return view.texts[at] ??= view.table.rows[at].filter((cell) => cell !== null).join(" ").toLowerCase();
  },

  refresh() {
    const { search, sort, descending, filter, group } = view.state;
    const { rows, columns, noun } = view.table;
    const words = search.toLowerCase().split(/\s+/).filter(Boolean);
    view.rows = [];
    rows.forEach((row, at) => {
      if (filter && row[filter[0]] !== filter[1]) return;
      if (words.length && !words.every((word) => view.text(at).includes(word))) return;
      view.rows.push(at);
    });
    if (sort >= 0) {
      const number = ["number", "bar"].includes(columns[sort].kind), direction = descending ? -1 : 1;
      view.rows.sort((left, right) => {
        const a = rows[left][sort], b = rows[right][sort];
        if (a === b) return left - right;
        if (a === null || b === null || a === "" || b === "") return (a === null || a === "") - (b === null || b === "");
        return direction * (number ? Number(a) - Number(b) : collator.compare(a, b)) || left - right;
      });
    }
    view.lines = group < 0 ? view.rows : view.inGroups(group);
    $("count").textContent = view.rows.length === rows.length ? count(rows.length, noun)
      : `${grouped.format(view.rows.length)} of ${count(rows.length, noun)}`;
    $("filter").hidden = !filter;
    if (filter) $("filter").textContent = `${columns[filter[0]].title}: ${visible(filter[1] || "none")} ×`;
    $("nothing").hidden = view.lines.length > 0;
    $("table").setAttribute("aria-rowcount", view.lines.length + 1);
    view.active = -1;
    view.first = -1;
    view.draw();
  },

  inGroups(column) {
    const found = new Map();
    for (const at of view.rows) {
      const name = view.table.rows[at][column];
      if (!found.has(name)) found.set(name, { name, rows: [] });
      found.get(name).rows.push(at);
    }
    return [...found.values()].sort((left, right) => right.rows.length - left.rows.length
      || collator.compare(left.name ?? "", right.name ?? "")).flatMap(
      (group) => [group, ...(view.state.closed.has(group.name) ? [] : group.rows)]);
  },

  drawHead() {
    const { sort, descending } = view.state;
    const focused = document.activeElement?.dataset?.sort;
    view.head.replaceChildren(make("tr", { "aria-rowindex": 1 }, ...view.table.columns.map((column, at) => {
      const button = make("button", { type: "button", onclick: () => view.sort(at) },
        make("span", {}, visible(column.title)), make("span", { class: "arrow", "aria-hidden": "true" },
          sort === at ? (descending ? "↓" : "↑") : ""));
      button.dataset.sort = at;
      return make("th", { scope: "col", "aria-sort": sort !== at ? "none" : descending ? "descending" : "ascending",
        class: [["number", "bar"].includes(column.kind) ? "number" : "", at ? "" : "pinned"].join(" ") }, button);
    })));
    if (focused) view.head.querySelector(`[data-sort="${focused}"]`)?.focus();
  },

  sort(column) {
    const { state } = view;
    if (state.sort === column) state.descending = !state.descending;
    else Object.assign(state, { sort: column, descending: ["number", "bar"].includes(view.table.columns[column].kind) });
    view.drawHead();
    view.scroll.scrollTop = 0;
    view.refresh();
  },

  // Only the rows in sight are in the document, between two spacers.
  draw() {
    const height = view.rowHeight, total = view.lines.length;
    if (view.printing) {
      view.body.replaceChildren(...view.lines.slice(0, view.mostPrinted).map((_, at) => view.row(at)));
      return;
    }
    const fitting = Math.ceil(view.scroll.clientHeight / height);
    const first = Math.max(0, Math.min(Math.floor(Math.max(0, view.scroll.scrollTop) / height) - 8, total - 1));
    const even = first - first % 8;
    if (even === view.first) return;
    view.first = even;
    const last = Math.min(total, even + fitting + 32), rows = [];
    for (let at = even; at < last; at++) rows.push(view.row(at));
    view.body.replaceChildren(view.spacer(even), ...rows, view.spacer(total - last));
  },

  spacer(rows) {
    const spacer = make("tr", { class: "spacer", "aria-hidden": "true" },
      make("td", { colSpan: view.table.columns.length }));
    spacer.style.height = `${rows * view.rowHeight}px`;
    spacer.hidden = rows <= 0;
    return spacer;
  },

  row(at) {
    const line = view.lines[at];
    const made = make("tr", { "aria-rowindex": at + 2, onclick: () => view.choose(at),
      class: [typeof line === "number" ? "" : "group", at === view.active ? "active" : "", at % 2 ? "odd" : ""].join(" ") },
    ...(typeof line === "number" ? view.table.columns.map((column, number) =>
      view.cell(column, view.table.rows[line][number], number)) : view.group(line)));
    made.dataset.at = at;
    return made;
  },

  cell(column, value, at) {
    if (value === null || value === "") return make(at ? "td" : "th", { class: at ? "none" : "pinned" },
        column.kind === "number" ? "–" : "");
    if (!at) {
      return make("th", { scope: "row", class: "pinned" }, named(value, { title: visible(value) }));
    }
    if (column.kind === "tag") {
      return make("td", {}, make("span", { class: `state ${answer.paint[value] || "faint"}` }, visible(value)));
    }
    if (column.kind === "number" || column.kind === "bar") {
      const cell = make("td", { class: "number" }, formatted(value));
      cell.style.setProperty("--share", view.tops[at] > 0 ? Number(value) / view.tops[at] : 0);
      if (Number(value) === 0) cell.classList.add("zero");
      return cell;
    }
    return make("td", { title: visible(value), class: column.kind }, visible(value));
  },

  // The head of a group: its rows, and the sums of what can be summed up.
  group(group) {
    const closed = view.state.closed.has(group.name);
    return view.table.columns.map((column, at) => {
      if (!at) {
        return make("th", { scope: "rowgroup", class: "pinned", "aria-expanded": String(!closed) },
          make("span", { class: "fold", "aria-hidden": "true" }, closed ? "▸" : "▾"),
          named(group.name || "none", { title: visible(group.name || "none") }),
          make("span", { class: "faint" }, ` ${grouped.format(group.rows.length)}`));
      }
      if (!column.sum) return make("td");
      return make("td", { class: "number top-total" },
        formatted(group.rows.reduce((sum, row) => sum + Number(view.table.rows[row][at]), 0)));
    });
  },

  choose(at) {
    const line = view.lines[at];
    if (typeof line === "number") {
      view.walk(at);
      return view.drawer(line);
    }
    const { closed } = view.state, top = view.scroll.scrollTop;
    if (!closed.delete(line.name)) closed.add(line.name);
    view.refresh();
    view.scroll.scrollTop = top;
    view.walk(view.lines.findIndex((other) => typeof other !== "number" && other.name === line.name));
  },

  drawer(at) {
    const { columns, rows, noun } = view.table;
    const shown = columns.flatMap((column, number) => {
      const value = rows[at][number];
      return number && value !== null && value !== "" ? [make("dt", {}, visible(column.title)), make("dd", {},
        column.kind === "tag" ? make("span", { class: `state ${answer.paint[value] || "faint"}` }, visible(value))
          : typeof value === "number" ? formatted(value) : visible(value))] : [];
    }).flat();
    $("drawer").replaceChildren(make("header", {}, make("div", {}, make("p", { class: "eyebrow" }, noun),
      make("h2", { id: "drawer-title" }, named(rows[at][0]))),
    make("button", { type: "button", class: "quiet", onclick: () => $("drawer").close() }, "Close")),
    make("dl", { class: "fields" }, ...shown));
    $("drawer").showModal();
  },

  walk(to) {
    const total = view.lines.length;
    if (!total) return;
    view.active = Math.max(0, Math.min(to, total - 1));
    const top = view.active * view.rowHeight, room = view.scroll.clientHeight - view.head.offsetHeight;
    if (top < view.scroll.scrollTop) view.scroll.scrollTop = top;
    else if (top + view.rowHeight > view.scroll.scrollTop + room) view.scroll.scrollTop = top + view.rowHeight - room;
    view.first = -1;
    view.draw();
  },

  print(printing) {
    view.printing = printing;
    view.first = -1;
    const more = printing ? view.lines.length - view.mostPrinted : 0;
    $("more").hidden = more <= 0;
    $("more").textContent = `... and ${count(more, "more line")} not printed`;
    view.draw();
  },
};

// The summary. A bar that names rows of a table shows them.
const summary = {
  card(card) {
    const parts = [make("h2", {}, visible(card.title))];
    if (card.figure) {
      parts.push(make("p", { class: "figure" }, make("strong", {}, visible(card.figure[0])), ` ${visible(card.figure[1])}`));
    }
    if (card.meter) parts.push(meter(card.meter[0], card.meter[1]));
    if (card.bars) parts.push(make("ul", { class: "bars" }, ...card.bars.map(summary.bar)));
    if (card.uses) parts.push(make("ul", { class: "uses" }, ...card.uses.map(summary.use)));
    for (const line of card.lines || []) parts.push(make("p", { class: "line" }, visible(line)));
    if (card.note) parts.push(make("p", { class: "faint" }, visible(card.note)));
    return make("article", { class: `card ${card.wide ? "wide" : card.bars ? "listed" : ""}` }, ...parts);
  },

  bar(bar) {
    const inside = [make("b", {}, formatted(bar.value)), meter(bar.share, bar.kind),
      make("span", { class: "text" }, bar.label ? make("b", { class: "plugin" }, `${visible(bar.label)}${bar.text ? ": " : ""}`) : "",
        make("span", {}, visible(bar.text || "")))];
    return make("li", {}, bar.rows ? make("button", { type: "button", class: "row reason", title: "Show these rows",
      onclick: () => view.open(bar.rows[0], [bar.rows[1], bar.rows[2]]) }, ...inside)
      : make("span", { class: "row reason" }, ...inside));
  },

  // What is requested of a resource before and after.
  use(use) {
    const bar = make("span", { class: "use", "aria-hidden": "true" }, make("span", { class: "used" }),
      make("span", { class: use.after > 1 ? "asked bad" : "asked" }));
    const before = Math.max(0, Math.min(1, use.before));
    bar.children[0].style.width = `${before * 100}%`;
    bar.children[1].style.width = `${Math.max(0, Math.min(1, use.after) - before) * 100}%`;
    return make("li", {}, make("span", { class: "name" }, visible(use.name)), bar, make("span", { class: "faint" }, visible(use.text)));
  },

  draw() {
    $("title").append(named(answer.title));
    $("verb").textContent = answer.verb;
    $("state").className = `pill ${answer.pill[0]}`;
    $("state").textContent = visible(answer.pill[1]);
    $("notice").hidden = !answer.notes.length;
    $("notice").className = "note";
    $("notice").append(...answer.notes.map((note) => make("p", {}, visible(note))));
    $("cards").append(...answer.cards.map(summary.card));
    $("tabs").append(...answer.tables.map((table, at) => make("label", {},
      make("input", { type: "radio", name: "tabs", value: at, onchange: () => view.open(at) }),
      make("span", {}, visible(table.name)))));
    $("tabs").hidden = answer.tables.length < 2;
  },
};

function keys(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || $("drawer").open || event.target.matches?.("select")) return;
  const typing = event.target.matches?.("input[type=search]");
  if (event.key === "/" && !typing) {
    event.preventDefault();
    $("search").focus();
    $("search").select();
  } else if (event.key === "Escape") {
    $("search").value = "";
    Object.assign(view.state, { search: "", filter: null });
    view.refresh();
    view.scroll.focus();
  } else if (event.key === "ArrowDown" && typing) {
    event.preventDefault();
    view.scroll.focus();
    view.walk(0);
  } else if (event.target === view.scroll) {
    const leap = Math.max(1, Math.floor(view.scroll.clientHeight / view.rowHeight) - 2);
    const to = { ArrowDown: view.active + 1, ArrowUp: Math.max(0, view.active - 1), PageDown: view.active + leap,
      PageUp: view.active - leap, Home: 0, End: view.lines.length - 1 }[event.key];
    if (to !== undefined) view.walk(to);
    else if (event.key === "Enter" && view.active >= 0) view.choose(view.active);
    else return;
    event.preventDefault();
  }
}

summary.draw();
view.open(0);
$("search").addEventListener("input", (event) => {
  view.state.search = event.target.value;
  view.scroll.scrollTop = 0;
  view.refresh();
});
$("group").addEventListener("change", () => {
  view.state.group = Number($("group").value);
  view.refresh();
});
$("filter").addEventListener("click", () => {
  view.state.filter = null;
  view.refresh();
});
themeButton();
$("drawer").addEventListener("click", (event) => { if (event.target === $("drawer")) $("drawer").close(); });
$("drawer").addEventListener("close", () => view.scroll.focus({ preventScroll: true }));
document.addEventListener("keydown", keys);
view.scroll.addEventListener("scroll", () => requestAnimationFrame(() => view.draw()), { passive: true });
addEventListener("beforeprint", () => view.print(true));
addEventListener("afterprint", () => view.print(false));
new ResizeObserver(() => { view.first = -1; view.draw(); }).observe(view.scroll);
document.documentElement.dataset.ready = "true";
