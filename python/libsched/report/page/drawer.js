// The drawer about a node: its verdict with the facts, what is free, scores, filters, taints and labels.

const drawer = {
  show(row) {
    const node = model.node(row), fits = model.fits(row);
    const parts = [make("header", {}, make("div", {},
      make("p", { class: "eyebrow" }, fits ? "fits" : "doesn’t fit"),
      make("h2", { id: "drawer-title" }, named(data.nodes[row]))),
    make("button", { type: "button", class: "quiet", onclick: () => $("drawer").close() }, "Close"))];
    if (data.total[row] !== null) {
      parts.push(make("p", { class: "figure" }, make("strong", {}, formatted(data.total[row])),
        model.best.has(data.nodes[row]) ? " the highest total" : " in total"), stack(row));
    }
    parts.push(...drawer.because(row), ...drawer.resources(row, node), ...drawer.taints(node),
      ...drawer.scores(row), ...drawer.filters(row), ...drawer.labels(node));
    $("drawer").replaceChildren(...parts);
    $("drawer").showModal();
    $("drawer").scrollTop = 0;
  },

  because(row) {
    const why = model.why(row);
    if (!why) return drawer.gains(row);
    return [make("div", { class: "because" },
      make("p", {}, make("b", { class: "plugin" }, visible(why.plugin || "PreFilter")),
        make("span", { class: "faint" }, visible(why.preFilter ? `PreFilter, ${why.code}` : why.code))),
      make("ul", {}, ...why.reasons.map((reason) => make("li", {}, visible(reason),
        ...drawer.facts(row, reason)))))];
  },

  // What a node that takes the pod would give it beside its resources.
  gains(row) {
    const lines = model.factTexts(row);
    return lines.length ? [make("h3", {}, "Devices"), make("ul", { class: "facts" },
      ...lines.map((text) => make("li", {}, visible(text))))] : [];
  },

  // A list of the facts behind a reason, if there are any.
  facts(row, reason) {
    const lines = model.factTexts(row, reason);
    return lines.length ? [make("ul", { class: "facts" },
      ...lines.map((text) => make("li", {}, visible(text))))] : [];
  },

  // What the pod asks for, what is free and what there is. A pod that runs here takes nothing from itself.
  resources(row, node) {
    if (node < 0) return [];
    const asks = new Map((data.asks?.requests || []).map(([name, number]) => [name, number]));
    const lines = nodes.resources.filter(({ name, allocatable }) => asks.has(name) || allocatable[node]);
    return [make("h3", {}, "Resources"), make("table", { class: "small resources" },
      make("thead", {}, drawer.line(["resource", "asks", "free", "allocatable", ""], "th")),
      make("tbody", {}, ...lines.map(({ name, allocatable, requested }) => {
        const asked = asks.get(name) || 0, all = allocatable[node];
        const used = requested[node] - (data.home === data.nodes[row] ? asked : 0), free = all - used;
        const bar = make("span", { class: "use", "aria-hidden": "true" }, make("span", { class: "used" }),
          make("span", { class: asked > free ? "asked bad" : "asked" }));
        const share = (value) => `${all > 0 ? Math.max(0, Math.min(1, value / all)) * 100 : 0}%`;
        bar.children[0].style.width = share(used);
        bar.children[1].style.width = asked > free ? share(Math.max(free, 0.04 * all)) : share(asked);
        const line = drawer.line([visible(name), asked ? amount(name, asked) : "–", amount(name, free),
          amount(name, all), bar]);
        if (asked > free) line.className = "lacking";
        return line;
      })))];
  },

  taints(node) {
    if (node < 0) return [];
    const taints = nodes.taints[node].map((taint) => nodes.taintTexts[taint]);
    if (nodes.cordoned.includes(node)) taints.unshift("cordoned");
    return taints.length ? [make("h3", {}, "Taints"), make("p", { class: "tags" },
      ...taints.map((taint) => make("span", {}, visible(taint))))] : [];
  },

  // The labels; those that the pod names come first.
  labels(node) {
    if (node < 0) return [];
    const asked = new Set(data.asks?.keys || []);
    const labels = [];
    for (let at = 0; at < nodes.labels[node].length; at += 2) {
      labels.push([nodes.keys[nodes.labels[node][at]], nodes.values[nodes.labels[node][at + 1]]]);
    }
    labels.sort(([left], [right]) => asked.has(right) - asked.has(left));
    return labels.length ? [make("h3", {}, "Labels"), make("dl", { class: "labels" },
      ...labels.flatMap(([key, value]) => [make("dt", { class: asked.has(key) ? "asked" : "" }, visible(key)),
        make("dd", {}, visible(value))]))] : [];
  },

  line: (cells, tag = "td") => make("tr", {}, ...cells.map((cell, index) =>
    make(index ? tag : "th", { class: index ? "number" : "" }, cell))),

  scores(row) {
    if (data.total[row] === null) return [];
    return [make("h3", {}, "Scores"), make("table", { class: "small" },
      make("thead", {}, drawer.line(["plugin", "raw", "normalised", "weight", "weighted"], "th")),
      make("tbody", {}, ...data.scorers.map((scorer, index) => drawer.line([
        make("span", {}, coloured(index, { class: "dot" }), visible(scorer.name)),
        formatted(scorer.raw[row]), formatted(scorer.normalized[row]),
        scorer.weight === null ? "" : formatted(scorer.weight),
        formatted(scorer.weighted[row])])))),
    ...(data.skipScore.length ? [make("p", { class: "faint idle" },
      `Skipped: ${data.skipScore.map(visible).join(", ")}`)] : [])];
  },

  filters(row) {
    if (!data.filters.length) return [];
    const idle = data.filters.filter(({ skipped }) => skipped).map(({ name }) => visible(name));
    return [make("h3", {}, "Filters"), make("ul", { class: "filters" },
      ...data.filters.flatMap((filter, index) => {
        if (filter.skipped) return [];
        const mark = model.mark(row, index), [sign, text] = MARKS[mark];
        return [make("li", { class: mark || "unasked" },
          make("span", { class: "sign", "aria-hidden": "true" }, sign || "–"), visible(filter.name),
          make("span", { class: "faint" }, mark === "yes" ? "" : text))];
      })),
    ...(idle.length ? [make("p", { class: "faint idle" }, `Not concerned by this pod: ${idle.join(", ")}`)] : [])];
  },
};
