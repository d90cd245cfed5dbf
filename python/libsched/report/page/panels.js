// What stands around the table: the summary above it, and the drawer about one node.

// A list of the facts behind a reason, if there are any.
function facts(row, reason) {
  const lines = (data.facts[row] || []).filter(([of]) => of === reason);
  return lines.length ? [make("ul", { class: "facts" },
    ...lines.map(([, text]) => make("li", {}, visible(text))))] : [];
}

const panels = {
  cards() {
    const cards = [];
    const judged = data.nodeCount || data.nodes.length;
    if (judged) {
      cards.push(make("article", { class: "card" }, make("h2", {}, "Nodes"),
        make("p", { class: "figure" }, make("strong", {}, grouped.format(data.fitCount)),
          ` of ${grouped.format(judged)} fit`),
        meter(data.fitCount / judged, data.fitCount ? "good" : "bad"),
        data.left ? make("p", { class: "faint" },
          `The best ${grouped.format(data.nodes.length)} are shown here.`) : null));
    }
    const ranked = data.nodes.map((_, row) => row).filter((row) => data.total[row] !== null);
    if (ranked.length) {
      const list = ranked.slice(0, 5).map((row) => make("li", {},
        make("button", { type: "button", class: "row", onclick: () => page.show(row) },
          named(data.nodes[row]), stack(row), make("b", {}, formatted(data.total[row])))));
      const ties = data.best.length > 1 ? make("p", { class: "faint" },
        `${count(data.best.length, "node")} share the highest total.`) : null;
      cards.push(make("article", { class: "card wide" }, make("h2", {}, "Best nodes"),
        make("ol", { class: "bars" }, ...list), ties));
    }
    if (data.counts.length) {
      const top = data.counts[0].nodes;
      const list = data.counts.map((entry) => make("li", {}, make("button", {
        type: "button", class: "row reason", "aria-pressed": "false",
        title: "Show these nodes only", onclick: () => page.filterReason(entry) },
      make("b", {}, grouped.format(entry.nodes)), meter(entry.nodes / top, "bad"),
      make("span", { class: "text" }, ...reasonText({ plugin: entry.plugin,
        reasons: [entry.reason] })))));
      cards.push(make("article", { class: "card wide" }, make("h2", {}, "Why not elsewhere"),
        make("ul", { class: "bars", id: "reasons" }, ...list)));
    }
    $("cards").replaceChildren(...cards);
  },

  header() {
    $("pod").append(named(data.pod || "(no name)"));
    $("profile").textContent = visible(data.profile);
    $("profile").hidden = !data.profile;
    const state = $("state");
    const judged = data.nodeCount || data.nodes.length;
    const notice = data.error || data.gate || data.fitError || data.scoreError;
    if (data.error) [state.textContent, state.className] = ["no answer", "pill bad"];
    else if (data.gate) [state.textContent, state.className] = ["gated", "pill note"];
    else if (data.fitCount) {
      state.className = "pill good";
      state.textContent = `fits ${grouped.format(data.fitCount)} of ${count(judged, "node")}`;
    } else {
      state.className = "pill bad";
      state.textContent = `fits none of ${count(judged, "node")}`;
    }
    $("notice").hidden = !notice;
    $("notice").textContent = visible(notice);
    $("notice").className = data.gate ? "note" : "bad";
  },

  drawer(row) {
    const why = model.why(row), fits = model.fits(row);
    const parts = [make("header", {}, make("div", {},
      make("p", { class: "eyebrow" }, fits ? "fits" : "doesn’t fit"),
      make("h2", { id: "drawer-title" }, named(data.nodes[row]))),
    make("button", { type: "button", class: "quiet", onclick: () => $("drawer").close() }, "Close"))];
    if (data.total[row] !== null) {
      parts.push(make("p", { class: "figure" }, make("strong", {}, formatted(data.total[row])),
        model.best.has(data.nodes[row]) ? " the highest total" : " in total"), stack(row));
    }
    if (why) {
      parts.push(make("div", { class: "because" },
        make("p", {}, make("b", { class: "plugin" }, visible(why.plugin || "PreFilter")),
          make("span", { class: "faint" }, visible(why.preFilter ? `PreFilter, ${why.code}` : why.code))),
        make("ul", {}, ...why.reasons.map((reason) => make("li", {}, visible(reason),
          ...facts(row, reason))))));
    }
    if (data.total[row] !== null) {
      const line = (cells, tag = "td") => make("tr", {}, ...cells.map((cell, index) =>
        make(index ? tag : "th", { class: index ? "number" : "" }, cell)));
      parts.push(make("h3", {}, "Scores"), make("table", { class: "small" },
        make("thead", {}, line(["plugin", "raw", "normalised", "weight", "weighted"], "th")),
        make("tbody", {}, ...data.scorers.map((scorer, index) => line([
          make("span", {}, coloured(index, { class: "dot" }), visible(scorer.name)),
          formatted(scorer.raw[row]), formatted(scorer.normalized[row]),
          scorer.weight === null ? "" : formatted(scorer.weight),
          formatted(scorer.weighted[row])])),
        ...data.skipScore.map((name) => make("tr", { class: "faint" }, make("th", {}, visible(name)),
          make("td", { colSpan: 4 }, "skipped"))))));
    }
    if (data.filters.length) {
      parts.push(make("h3", {}, "Filters"), make("ul", { class: "filters" },
        ...data.filters.map((filter, index) => {
          const mark = model.mark(row, index), [sign, text] = MARKS[mark];
          return make("li", { class: mark || "unasked" },
            make("span", { class: "sign", "aria-hidden": "true" }, sign || "–"), visible(filter.name),
            make("span", { class: "faint" }, mark === "yes" ? "" : text));
        })));
    }
    $("drawer").replaceChildren(...parts);
    $("drawer").showModal();
  },
};
