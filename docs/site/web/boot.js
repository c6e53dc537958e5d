// The only script of a page that is no module: from a folder (file://) a browser loads no module, and then this says so.
{
  const { dataset } = document.currentScript;
  const parts = document.querySelectorAll("[data-lab]");
  if (location.protocol === "file:") {
    for (const part of parts) part.querySelector(".lab-lacks").hidden = false;
  } else if (parts.length) {
    const words = JSON.parse(dataset.words);
    import(new URL("page.js", document.currentScript.src)).then(({ begin }) => begin(parts, { ...dataset, words }));
  }
}
