// Cells of the table of nodes.

// Hues that are told apart; red and green are left to verdicts.
const HUES = [255, 305, 70, 200, 340, 100, 230, 280, 50, 180];
const hue = (index) => HUES[index % HUES.length] + 7 * Math.floor(index / HUES.length);

function coloured(index, properties = {}, ...children) {
  const element = make("span", properties, ...children);
  element.style.setProperty("--hue", hue(index));
  return element;
}

// What makes a total higher than the lowest scores of all plugins together, a segment for each plugin.
function stack(row) {
  const bar = make("span", { class: "stack", "aria-hidden": "true" });
  if (!(model.spread > 0)) return bar;
  bar.append(make("span", { class: "stub" }));
  data.scorers.forEach((scorer, index) => {
    const low = model.range(scorer, "weighted")[0];
    const value = Number(scorer.weighted[row]);
    if (!(value > low)) return;
    const part = coloured(index, { class: "part",
      title: `${scorer.name} ${formatted(value)}${low ? `, ${formatted(value - low)} above the lowest` : ""}` });
    part.style.width = `${96 * (value - low) / model.spread}%`;
    bar.append(part);
  });
  return bar;
}

const MARKS = {
  yes: ["✓", "yes"], no: ["✗", "no"], skip: ["·", "not concerned by this pod"],
  "": ["", "not asked"],
};

function markCell(mark) {
  const [sign, text] = MARKS[mark];
  return make("td", { class: `mark ${mark || "unasked"}`, title: text },
    make("span", { "aria-hidden": "true" }, sign), make("span", { class: "hidden" }, text));
}

// The bar in a cell begins a little below the lowest value of its column; equal values have none.
function numberCell(scorer, row, kind) {
  const value = scorer[kind][row];
  if (value === null) return make("td", { class: "number none" }, "–");
  const cell = make("td", { class: "number" }, formatted(value));
  const [low, high] = model.range(scorer, kind);
  const start = low - 0.08 * (high - low);
  cell.style.setProperty("--share", high > low ? (Number(value) - start) / (high - start) : 0);
  if (Number(value) === 0) cell.classList.add("zero");
  return cell;
}

function reasonText(why) {
  return [why.plugin ? make("b", { class: "plugin" }, `${visible(why.plugin)}:`) : "", " ",
    make("span", {}, visible(why.reasons.join(", ")))];
}

// The reasons of a row, and the facts behind them.
function whyText(row) {
  const facts = model.factTexts(row);
  return [...reasonText(model.why(row)), facts.length
    ? make("span", { class: "fact" }, visible(facts.join("; "))) : ""];
}
