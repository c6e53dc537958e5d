// What a page does without Python: its look, its keys, and where its reader is.
const page = document.documentElement.dataset;

// The other look; the system's own is not remembered, so that the page goes on following it.
const button = document.querySelector(".look");
button.hidden = false;
button.addEventListener("click", () => {
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  page.theme = page.theme === "dark" ? "light" : "dark";
  try {
    if (page.theme === system) localStorage.removeItem("loaderlab-look"); else localStorage.setItem("loaderlab-look", page.theme);
  } catch { /* private windows remember nothing */ }
});

// Paper is white: who reads in the dark prints in black.
let onScreen;
addEventListener("beforeprint", () => { onScreen = page.theme; page.theme = "light"; });
addEventListener("afterprint", () => { page.theme = onScreen; });

addEventListener("keydown", (event) => {
  const find = document.querySelector(".find input");
  if (event.key !== "k" || !(event.ctrlKey || event.metaKey) || !find.checkVisibility()) return;
  event.preventDefault();
  find.focus();
});

// What scrolls is scrolled by keyboard, too.
const scrolling = () => {
  for (const each of document.querySelectorAll("main pre, .formula, .wide, p:has(> math)")) {
    if (each.scrollWidth > each.clientWidth) each.tabIndex = 0; else each.removeAttribute("tabindex");
  }
};
addEventListener("load", scrolling);
addEventListener("resize", scrolling);

// A card is one level below the section that it stands in; a notebook, whose cells know of no sections, says 4.
const level = () => {
  for (const heading of document.querySelectorAll('[role="heading"], .cell_output h4')) {
    let depth = 1;
    for (let section = heading.closest("section"); section; section = section.parentElement.closest("section")) depth += 1;
    if (heading.ariaLevel !== String(depth)) heading.ariaLevel = String(depth);
  }
};
level();
new MutationObserver(level).observe(document.querySelector("main"), { childList: true, subtree: true });

// The section that is read, in the list of them.
const sections = new Map([...document.querySelectorAll('#contents a[href^="#"]')].flatMap((link) => {
  const section = document.getElementById(decodeURIComponent(link.hash.slice(1)));
  return section ? [[section, link]] : [];
}));
const read = new IntersectionObserver((seen) => {
  for (const { target, isIntersecting } of seen) sections.get(target).classList.toggle("read", isIntersecting);
}, { rootMargin: "-30% 0px -69% 0px" });
for (const section of sections.keys()) read.observe(section);
