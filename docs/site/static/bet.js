// The bet on the first page: who has bet sees what happens, and then moves the number of workers. All of it stands on the page.
{
  const part = document.querySelector(".bet"), knob = part.querySelector(".knob"), slider = knob.querySelector("input");
  const guesses = [...part.querySelectorAll(".guesses button")];
  for (const guess of guesses) {
    guess.addEventListener("click", () => {
      for (const each of guesses) each.setAttribute("aria-pressed", String(each === guess));
      part.querySelector(".verdict").textContent = guess.dataset.says;
      part.querySelector(".open")?.classList.remove("open");
      knob.hidden = false;
    });
  }
  slider.addEventListener("input", () => {
    knob.querySelector("output").textContent = slider.value;
    for (const loop of part.querySelectorAll("[aria-live] > .loop")) loop.hidden = loop.dataset.workers !== slider.value;
  });
  part.classList.add("live");
}
