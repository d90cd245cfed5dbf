// What happens when somebody does something.

const page = {
  refresh() {
    model.update();
    const shown = model.rows.length, all = data.nodes.length;
    $("count").textContent = shown === all ? count(all, "node")
      : `${grouped.format(shown)} of ${count(all, "node")}`;
    if (data.left) $("count").textContent += ` (${grouped.format(data.left)} more not shown)`;
    table.reset();
  },

  change(changes) {
    Object.assign(model.state, changes);
    table.scroll.scrollTop = 0;
    page.refresh();
  },

  sort(column) {
    model.sortBy(column);
    table.drawHead();
    page.change({});
  },

  filterReason(entry) {
    const reason = entry === model.state.reason ? null : entry;
    $("reasons")?.querySelectorAll("button").forEach((button, index) =>
      button.setAttribute("aria-pressed", String(data.counts[index] === reason)));
    $("reason").hidden = !reason;
    if (reason) $("reason").textContent = `${visible(reason.reason)} ×`;
    page.change({ reason });
  },

  open(at) {
    const line = model.lines[at];
    table.walk(at);
    if (typeof line === "number") drawer.show(line);
    else page.fold(line);
  },

  show(row) {
    drawer.show(row);
  },

  // Opens or closes a group; the active line stays on it.
  fold(group) {
    if (!model.closed.delete(group.name)) model.closed.add(group.name);
    const top = table.scroll.scrollTop;
    page.refresh();
    table.scroll.scrollTop = top;
    table.walk(model.lines.findIndex((line) => line.name === group.name && typeof line !== "number"));
  },

  // Shows another pod. The address names it, so that it can be linked to.
  pick(at) {
    page.at = at;
    model.choose(at);
    if ($("picker").selectedIndex !== at) $("picker").selectedIndex = at;
    if (everything.pods.length > 1) history.replaceState(null, "", `#${encodeURIComponent(data.pod)}`);
    panels.header();
    panels.cards();
    const kinds = [...(data.scorers.length ? KINDS : []),
      ...(data.filters.length ? [["filters", "Filters"]] : [])];
    page.choices("values", kinds, model.state.kind, page.kind);
    $("reason").hidden = true;
    page.folding();
    table.setColumns();
    page.change({});
  },

  kind(kind) {
    const wasFilters = model.state.kind === "filters";
    model.state.kind = kind;
    model.state.wanted = kind;
    if (wasFilters !== (kind === "filters") && model.state.sort.startsWith("p")) {
      Object.assign(model.state, { sort: "rank", descending: false });
    }
    page.folding();
    table.setColumns();
    page.change({});
  },

  // The button for the columns that have nothing to say.
  folding() {
    const { kind, folded } = model.state, idle = model.idle();
    const names = (kind === "filters" ? data.filters : data.scorers).filter((_, at) => idle.includes(at));
    $("folded").hidden = !idle.length;
    $("folded").setAttribute("aria-pressed", String(!folded));
    $("folded").textContent = `${folded ? "+" : "−"} ${count(idle.length, "column")} ${
      kind === "filters" ? "not concerned" : "of zeros"}`;
    $("folded").title = names.map(({ name }) => visible(name)).join("\n");
  },

  list(id, options, change) {
    $(id).replaceChildren(...options.map(([value, title]) => make("option", { value }, visible(title))));
    $(id).addEventListener("change", () => change($(id).selectedIndex));
  },

  verdict(pod) {
    const fits = pod.error || pod.gate ? "–" : pod.fitCount ? "✓" : "✗";
    return `${fits} ${pod.pod || "(no name)"}`;
  },

  print(printing) {
    table.printing = printing;
    table.first = -1;
    const more = printing ? model.lines.length - table.mostPrinted : 0;
    $("more").hidden = more <= 0;
    $("more").textContent = `... and ${count(more, "more line")} not printed`;
    table.draw();
  },

  choices(id, options, chosen, change) {
    $(id).querySelectorAll("label").forEach((label) => label.remove());
    $(id).append(...options.map(([value, title]) => make("label", {},
      make("input", { type: "radio", name: id, value, checked: value === chosen,
        onchange: () => change(value) }), make("span", {}, title))));
    $(id).hidden = options.length < 2;
  },

  keys(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || $("drawer").open) return;
    const typing = event.target.matches?.("input[type=search]");
    if (event.target.matches?.("select")) return;
    if (event.key === "/" && !typing) {
      event.preventDefault();
      $("search").focus();
      $("search").select();
    } else if (event.key === "Escape") {
      if ($("search").value || model.state.reason) {
        $("search").value = "";
        model.state.search = "";
        page.filterReason(null);
      }
      table.scroll.focus();
    } else if (event.key === "ArrowDown" && typing) {
      event.preventDefault();
      table.scroll.focus();
      table.walk(0);
    } else if (event.target === table.scroll) {
      const leap = Math.max(1, Math.floor(table.scroll.clientHeight / table.rowHeight) - 2);
      const to = { ArrowDown: table.active + 1, ArrowUp: Math.max(0, table.active - 1),
        PageDown: table.active + leap, PageUp: table.active - leap, Home: 0,
        End: model.lines.length - 1 }[event.key];
      if (to !== undefined) table.walk(to);
      else if (event.key === "Enter" && table.active >= 0) page.open(table.active);
      else if (event.key === "[" || event.key === "]") page.step(event.key === "]" ? 1 : -1);
      else return;
      event.preventDefault();
    }
  },

  step(by) {
    const all = everything.pods.length;
    page.pick((page.at + by + all) % all);
  },

  // Shows the pod that the address names, or the first.
  follow() {
    let wanted = "";
    try { wanted = decodeURIComponent(location.hash.slice(1)); } catch { /* not ours */ }
    page.pick(Math.max(0, everything.pods.findIndex((pod) => wanted && pod.pod === wanted)));
  },

  start() {
    page.choices("which", [["all", "All"], ["fits", "Fits"], ["not", "Doesn’t fit"]], "all",
      (which) => page.change({ which }));
    page.list("picker", everything.pods.map((pod, at) => [at, page.verdict(pod)]), page.pick);
    $("pick").hidden = everything.pods.length < 2;
    const groups = nodes?.groups || [];
    page.list("group", [["", "No groups"], ...groups.map(({ title }, at) => [at, title])],
      (at) => page.change({ group: at - 1 }));
    $("grouping").hidden = !groups.length;
    $("folded").addEventListener("click", () => {
      model.state.folded = !model.state.folded;
      page.folding();
      table.setColumns();
      page.refresh();
    });
    $("next").addEventListener("click", () => page.step(1));
    $("previous").addEventListener("click", () => page.step(-1));
    addEventListener("beforeprint", () => page.print(true));
    addEventListener("afterprint", () => page.print(false));
    addEventListener("hashchange", () => page.follow());
    $("search").addEventListener("input", (event) => page.change({ search: event.target.value }));
    $("reason").addEventListener("click", () => page.filterReason(null));
    themeButton();
    $("drawer").addEventListener("click", (event) => {
      if (event.target === $("drawer")) $("drawer").close();
    });
    $("drawer").addEventListener("close", () => table.scroll.focus({ preventScroll: true }));
    document.addEventListener("keydown", page.keys);
    table.scroll.addEventListener("scroll", () => requestAnimationFrame(table.draw), { passive: true });
    new ResizeObserver(() => { table.first = -1; table.draw(); }).observe(table.scroll);
    page.follow();
    document.documentElement.dataset.ready = "true";
  },
};

page.start();
