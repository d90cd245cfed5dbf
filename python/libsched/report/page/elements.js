// Texts, and small pieces of the document, for all pages. Every text goes in as text, never as markup.

const collator = new Intl.Collator("en", { numeric: true });
const grouped = new Intl.NumberFormat("en-US");

// What would steer the display is shown instead of obeyed.
const visible = (text) => String(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
  (char) => `\\u{${char.codePointAt(0).toString(16)}}`);

const formatted = (value) => typeof value === "number" ? grouped.format(value) : String(value);

const count = (number, noun) => `${grouped.format(number)} ${noun}${number === 1 ? "" : "s"}`;

const UNITS = [["Ei", 2 ** 60], ["Pi", 2 ** 50], ["Ti", 2 ** 40], ["Gi", 2 ** 30], ["Mi", 2 ** 20],
  ["Ki", 2 ** 10]];

// An amount of a resource, for people, as _amounts.py has it: cores, bytes in binary units, or a number.
function amount(resource, value) {
  if (resource === "cpu") return grouped.format(value / 1000);
  if (resource === "memory" || resource === "ephemeral-storage" || resource.startsWith("hugepages-")) {
    const [unit, size] = UNITS.find(([, size]) => Math.abs(value) >= size) || ["", 1];
    return `${(value / size).toLocaleString("en-US", { maximumFractionDigits: 1 })}${unit}`;
  }
  return grouped.format(value);
}

const $ = (id) => document.getElementById(id);

function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "class") element.className = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && name !== "role") element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

// A name from the cluster: isolated, so that its writing direction touches nothing around it.
const named = (text, properties = {}) => make("bdi", properties, visible(text));

// CamelCase that may break between its words.
function breakable(name) {
  const parts = visible(name).split(/(?<=[a-z])(?=[A-Z])/);
  return parts.flatMap((part, index) => index ? [make("wbr"), part] : [part]);
}

function meter(share, kind) {
  const bar = make("span", { class: `meter ${kind}`, "aria-hidden": "true" });
  const fill = make("span");
  fill.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  bar.append(fill);
  return bar;
}

// Changes between light and dark.
function themeButton() {
  $("theme").addEventListener("click", () => {
    const root = document.documentElement, scheme = getComputedStyle(root).colorScheme;
    const dark = scheme === "dark" || (scheme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
    root.style.colorScheme = dark ? "light" : "dark";
  });
}
