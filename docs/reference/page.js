// Searches by name, then by text; switches between light and dark; shows the place in the tree. The page
// is readable without this script.
"use strict";
const search = document.getElementById("search");
const found = document.getElementById("found");
const tree = document.getElementById("tree");
const nothing = document.getElementById("nothing");
const symbols = [...tree.querySelectorAll("li a")].map((link) => ({
  link, name: link.hash.slice(1), text: link.dataset.text,
  words: (link.hash.slice(1) + " " + link.dataset.text).toLowerCase() }));

// Every word must match. A match of the name comes before a match of the text, a short name before a long one.
function matches(query) {
  const words = query.toLowerCase().split(/[\s(),;]+/).filter(Boolean);
  const rank = ({ name }) => {
    const bare = name.toLowerCase().replace("libsched_", "");
    if (bare === words.join("_") || name.toLowerCase() === words.join("_")) return 0;
    if (words.every((word) => bare.includes(word))) return bare.startsWith(words[0]) ? 1 : 2;
    return 3;
  };
  return symbols.filter((symbol) => words.every((word) => symbol.words.includes(word)))
    .map((symbol) => ({ symbol, rank: rank(symbol) }))
    .sort((a, b) => a.rank - b.rank || a.symbol.name.length - b.symbol.name.length)
    .map(({ symbol }) => symbol).slice(0, 60);
}

function show() {
  const query = search.value.trim();
  const hits = query ? matches(query) : [];
  found.replaceChildren(...hits.map((symbol, index) => {
    const link = document.createElement("a");
    const said = document.createElement("small");
    link.href = symbol.link.hash;
    link.dataset.kind = symbol.link.dataset.kind;
    link.className = index === 0 ? "active" : "";
    said.textContent = symbol.text.trim();
    link.append(symbol.name.replace("libsched_", ""), said);
    const row = document.createElement("li");
    row.append(link);
    return row;
  }));
  found.hidden = !hits.length;
  nothing.hidden = !query || hits.length > 0;
  tree.hidden = Boolean(query);
}

function walk(step) {
  const links = [...found.querySelectorAll("a")];
  if (!links.length) return;
  const at = links.findIndex((link) => link.classList.contains("active"));
  const next = links[(at + step + links.length) % links.length];
  links[at]?.classList.remove("active");
  next.classList.add("active");
  next.scrollIntoView({ block: "nearest" });
}

search.addEventListener("input", show);
search.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    walk(event.key === "ArrowDown" ? 1 : -1);
  } else if (event.key === "Enter") {
    const link = found.querySelector("a.active");
    if (link) location.hash = link.hash;
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && event.target !== search && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    search.select();
  } else if (event.key === "Escape") {  // also after Enter, which takes the focus to the symbol
    search.value = "";
    show();
    search.blur();
  }
});

document.getElementById("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.style.colorScheme ? root.style.colorScheme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.style.colorScheme = dark ? "light" : "dark";
});

// The tree opens at the current header.
addEventListener("hashchange", () => {
  const symbol = symbols.find(({ link }) => link.hash === location.hash);
  if (symbol) symbol.link.closest("details").open = true;
});
