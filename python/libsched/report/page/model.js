// The decision about the chosen pod, and which lines of it are shown in which order. Knows nothing of
// the document. A line is a row, the number of a node in the decision, or a group of rows.

const everything = JSON.parse(document.getElementById("data").textContent);
const nodes = everything.nodes;
let data = everything.pods[0];

const KINDS = [["weighted", "Weighted"], ["normalized", "Normalised"], ["raw", "Raw"]];
const model = {
  best: new Set(),
  rows: [],
  lines: [],
  closed: new Set(),
  state: { kind: "weighted", wanted: "weighted", which: "all", search: "", reason: null, sort: "rank",
    descending: false, group: -1, folded: true },
  numbers: nodes ? new Map(nodes.names.map((name, at) => [name, at])) : null,

  // Takes another pod.
  choose(at) {
    data = everything.pods[at];
    model.best = new Set(data.best);
    model.texts = null;
    model.ranks = null;
    model.bounds = new Map();
    model.base = data.scorers.reduce((sum, scorer) => sum + model.range(scorer, "weighted")[0], 0);
    model.spread = Math.max(0, data.total.reduce((top, value) => Math.max(top, Number(value)), 0) - model.base);
    const { state } = model;
    state.kind = !data.scorers.length || (data.filters.length && state.wanted === "filters") ? "filters"
      : state.wanted === "filters" ? "weighted" : state.wanted;
    if (state.sort.startsWith("p")) Object.assign(state, { sort: "rank", descending: false });
    state.reason = null;
  },

  fits: (row) => data.why[row] < 0,
  why: (row) => data.whys[data.why[row]],

  whyText(row) {
    const why = model.why(row);
    return why ? `${why.plugin} ${why.reasons.join(", ")}` : "";
  },

  factTexts: (row, reason) => (data.facts[row] || []).filter(
    ([of]) => reason === undefined || of === reason).map(([, text]) => text),

  // The number of a row's node among those of the cluster; -1 if it is not known.
  node: (row) => model.numbers?.get(data.nodes[row]) ?? -1,

  label(node, key) {
    const labels = nodes.labels[node] || [];
    for (let at = 0; at < labels.length; at += 2) if (labels[at] === key) return nodes.values[labels[at + 1]];
    return null;
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

  // The smallest and the largest value of a column.
  range(scorer, kind) {
    const name = `${kind} ${scorer.name}`;
    if (!model.bounds.has(name)) {
      let low = Infinity, high = -Infinity;
      for (const value of scorer[kind]) {
        if (value === null) continue;
        if (Number(value) < low) low = Number(value);
        if (Number(value) > high) high = Number(value);
      }
      model.bounds.set(name, low > high ? [0, 0] : [low, high]);
    }
    return model.bounds.get(name);
  },

  // The indexes of columns that have nothing to say: zeros, or filters that the pod does not concern.
  idle() {
    const { kind } = model.state;
    const all = kind === "filters" ? data.filters : data.scorers;
    const found = all.flatMap((column, at) => (kind === "filters" ? column.skipped
      : model.range(column, kind).every((bound) => bound === 0)) ? [at] : []);
    return found.length < all.length ? found : [];
  },

  key(row) {
    const { sort, kind } = model.state;
    if (sort === "rank") return row;
    if (sort === "node") return model.rankOf(row);
    if (sort === "verdict") return model.fits(row) ? "" : model.whyText(row) || " ";
    if (sort === "total") return data.total[row];
    const index = Number(sort.slice(1));
    if (kind !== "filters") return data.scorers[index]?.[kind][row] ?? null;
    return ["no", "", "skip", "yes"].indexOf(model.mark(row, index));
  },

  // The place of a row among the names; names are compared once.
  rankOf(row) {
    if (!model.ranks) {
      model.ranks = [];
      data.nodes.map((_, at) => at).sort((left, right) =>
        collator.compare(data.nodes[left], data.nodes[right])).forEach((at, rank) => { model.ranks[at] = rank; });
    }
    return model.ranks[row];
  },

  // What search looks at: the name, the reasons with their facts, labels and taints.
  text(row) {
    model.texts ??= [];
    if (model.texts[row] !== undefined) return model.texts[row];
    const parts = [data.nodes[row], model.whyText(row), ...model.factTexts(row)];
    const node = model.node(row);
    if (node >= 0) {
      const labels = nodes.labels[node];
      for (let at = 0; at < labels.length; at += 2) {
        parts.push(`${nodes.keys[labels[at]]}=${nodes.values[labels[at + 1]]}`);
      }
      parts.push(...nodes.taints[node].map((taint) => nodes.taintTexts[taint]));
    }
    return model.texts[row] = parts.join(" ").toLowerCase();
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
      if (words.length && !words.every((word) => model.text(row).includes(word))) continue;
      model.rows.push(row);
    }
    const keys = new Map(model.rows.map((row) => [row, model.key(row)]));
    const direction = descending ? -1 : 1;
    const byText = model.state.sort === "verdict";
    model.rows.sort((left, right) => {
      const a = keys.get(left), b = keys.get(right);
      if (a === null || b === null) return (a === null) - (b === null) || left - right;
      const order = byText ? (a === b ? 0 : collator.compare(a, b)) : Number(a) - Number(b);
      return direction * order || left - right;
    });
    model.lines = model.state.group < 0 ? model.rows : model.inGroups();
  },

  // The rows behind heads, the group with the first row first. Closed groups have no rows.
  inGroups() {
    const { key } = nodes.groups[model.state.group];
    const found = new Map();
    for (const row of model.rows) {
      const node = model.node(row);
      const name = node < 0 ? null : model.label(node, key);
      if (!found.has(name)) found.set(name, { name, rows: [], fits: 0, top: null });
      const group = found.get(name);
      group.rows.push(row);
      if (model.fits(row)) group.fits++;
      const total = data.total[row];
      if (total !== null && (group.top === null || Number(total) > Number(group.top))) group.top = total;
    }
    return [...found.values()].flatMap(
      (group) => [group, ...(model.closed.has(group.name) ? [] : group.rows)]);
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
