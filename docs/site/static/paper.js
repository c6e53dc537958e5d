// Paper is white: who reads in the dark prints in black.
{
  const page = document.documentElement.dataset;
  let onScreen;
  addEventListener("beforeprint", () => { onScreen = page.theme; page.theme = "light"; });
  addEventListener("afterprint", () => { page.theme = onScreen; });
}
