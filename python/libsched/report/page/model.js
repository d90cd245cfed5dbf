// The decision, and which rows of it are shown in which order. Knows nothing of the document.

const data = JSON.parse(document.getElementById("data").textContent);

const KINDS = [["weighted", "Weighted"], ["normalized", "Normalised"], ["raw", "Raw"]];
const compareText = new Intl.Collator("en", { numeric: true }).compare;
const grouped = new Intl.NumberFormat("en-US");

// What would steer the display is shown instead of obeyed.
const visible = (text) => String(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
  (char) => `\\u{${char.codePointAt(0).toString(16)}}`);

const formatted = (value) => typeof value === "number" ? grouped.format(value) : String(value);

const count = (number, noun) => `${grouped.format(number)} ${noun}${number === 1 ? "" : "s"}`;

const model = {
  best: new Set(data.best),
  rows: [],
  state: {
    kind: data.scorers.length ? "weighted" : "filters",
    which: "all",
    search: "",
    reason: null,
    sort: "rank",
    descending: false,
  },

  fits: (row) => data.why[row] < 0,
  why: (row) => data.whys[data.why[row]],

  whyText(row) {
    const why = model.why(row);
    return why ? `${why.plugin} ${why.reasons.join(", ")}` : "";
  },

  // yes, no, skip (nothing to do for this pod) or "" (not asked any more).
  mark(row, filter) {
    const { name, skipped } = data.filters[filter];
    if (skipped) return "skip";
    const why = model.why(row);
    if (!why) return "yes";
    if (why.preFilter) return "";
    if (name === why.plugin) return "no";
    const rejecting = data.filters.findIndex((other) => other.name === why.plugin);
    return rejecting < 0 || filter < rejecting ? "yes" : "";
  },

  // The largest value of a column, for the length of bars. Negative ones have none.
  top(scorer, kind) {
    scorer.tops ??= {};
    return scorer.tops[kind] ??= scorer[kind].reduce((top, value) => Math.max(top, Number(value)), 0);
  },

  topTotal: data.total.reduce((top, value) => Math.max(top, Number(value)), 0),

  key(row) {
    const { sort, kind } = model.state;
    if (sort === "rank") return row;
    if (sort === "node") return data.nodes[row];
    if (sort === "verdict") return model.fits(row) ? "" : model.whyText(row) || " ";
    if (sort === "total") return data.total[row];
    const index = Number(sort.slice(1));
    if (kind !== "filters") return data.scorers[index]?.[kind][row] ?? null;
    return ["no", "", "skip", "yes"].indexOf(model.mark(row, index));
  },

  update() {
    const { which, search, reason, descending } = model.state;
    const words = search.toLowerCase().split(/\s+/).filter(Boolean);
    model.rows = [];
    for (let row = 0; row < data.nodes.length; row++) {
      const fits = model.fits(row);
      if (which !== "all" && (which === "fits") !== fits) continue;
      if (reason) {
        const why = model.why(row);
        if (!why || why.plugin !== reason.plugin || !why.reasons.includes(reason.reason)) continue;
      }
      if (words.length) {
        const text = `${data.nodes[row]} ${model.whyText(row)}`.toLowerCase();
        if (!words.every((word) => text.includes(word))) continue;
      }
      model.rows.push(row);
    }
    const keys = new Map(model.rows.map((row) => [row, model.key(row)]));
    const direction = descending ? -1 : 1;
    const byText = ["node", "verdict"].includes(model.state.sort);
    model.rows.sort((left, right) => {
      const a = keys.get(left), b = keys.get(right);
      if (a === null || b === null) return (a === null) - (b === null) || left - right;
      const order = byText ? compareText(a, b) : Number(a) - Number(b);
      return direction * order || left - right;
    });
  },

  sortBy(column) {
    const { state } = model;
    if (state.sort === column) state.descending = !state.descending;
    else {
      state.sort = column;
      state.descending = !["node", "verdict"].includes(column) && state.kind !== "filters"
        || column === "total";
    }
  },
};
