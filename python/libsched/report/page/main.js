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
    table.walk(at);
    panels.drawer(model.rows[at]);
  },

  show(row) {
    panels.drawer(row);
  },

  choices(id, options, chosen, change) {
    $(id).append(...options.map(([value, title]) => make("label", {},
      make("input", { type: "radio", name: id, value, checked: value === chosen,
        onchange: () => change(value) }), make("span", {}, title))));
    $(id).hidden = options.length < 2;
  },

  keys(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || $("drawer").open) return;
    const typing = event.target.matches?.("input[type=search]");
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
        End: model.rows.length - 1 }[event.key];
      if (to !== undefined) table.walk(to);
      else if (event.key === "Enter" && table.active >= 0) page.open(table.active);
      else return;
      event.preventDefault();
    }
  },

  start() {
    panels.header();
    panels.cards();
    const kinds = [...(data.scorers.length ? KINDS : []),
      ...(data.filters.length ? [["filters", "Filters"]] : [])];
    if (!data.scorers.length && !data.filters.length) data.filters = [];
    page.choices("which", [["all", "All"], ["fits", "Fits"], ["not", "Doesn’t fit"]], "all",
      (which) => page.change({ which }));
    page.choices("values", kinds, model.state.kind, (kind) => {
      const wasFilters = model.state.kind === "filters";
      model.state.kind = kind;
      if (wasFilters !== (kind === "filters") && model.state.sort.startsWith("p")) {
        Object.assign(model.state, { sort: "rank", descending: false });
      }
      table.setColumns();
      page.change({});
    });
    $("search").addEventListener("input", (event) => page.change({ search: event.target.value }));
    $("reason").addEventListener("click", () => page.filterReason(null));
    $("theme").addEventListener("click", () => {
      const root = document.documentElement;
      const dark = getComputedStyle(root).colorScheme === "dark" ||
        (getComputedStyle(root).colorScheme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
      root.style.colorScheme = dark ? "light" : "dark";
    });
    $("drawer").addEventListener("click", (event) => {
      if (event.target === $("drawer")) $("drawer").close();
    });
    $("drawer").addEventListener("close", () => table.scroll.focus({ preventScroll: true }));
    document.addEventListener("keydown", page.keys);
    table.scroll.addEventListener("scroll", () => requestAnimationFrame(table.draw), { passive: true });
    new ResizeObserver(() => { table.first = -1; table.draw(); }).observe(table.scroll);
    table.setColumns();
    page.refresh();
    document.documentElement.dataset.ready = "true";
  },
};

page.start();
