// What stands above the table: the pod, its verdict, and the summary.

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
        make("button", { type: "button", class: "row", title: visible(data.nodes[row]), onclick: () => page.show(row) },
          named(data.nodes[row]), stack(row), make("b", {}, formatted(data.total[row])))));
      const ties = data.best.length > 1 ? make("p", { class: "faint" },
        `${count(data.best.length, "node")} share the highest total.`) : null;
      const start = !(model.spread > 0) ? "Every node that fits has the same score."
        : model.base ? `Bars begin at ${formatted(model.base)}: the lowest score of each plugin is left out.` : "";
      cards.push(make("article", { class: "card wide" }, make("h2", {}, "Best nodes"),
        make("ol", { class: "bars" }, ...list),
        start && ranked.length > 1 ? make("p", { class: "faint", id: "axis" }, start) : null, ties));
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
    if (data.asks) {
      const asked = data.asks.requests.filter(([name]) => name !== "pods");
      cards.unshift(make("article", { class: "card asks", id: "asks" }, make("h2", {}, "The pod asks for"),
        asked.length ? make("p", { class: "amounts" }, ...asked.map(([name, number]) => make("span", {},
          make("strong", {}, amount(name, number)), ` ${visible(name)}`)))
          : make("p", { class: "faint" }, "no resources"),
        ...data.asks.lines.map(([title, text]) => make("p", { class: "line" },
          make("span", { class: "faint" }, `${visible(title)} `), visible(text)))));
    }
    $("cards").replaceChildren(...cards);
  },

  header() {
    $("pod").replaceChildren(named(data.pod || "(no name)"));
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
};
