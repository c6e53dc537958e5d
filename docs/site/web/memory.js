// What this browser remembers: the progress file of a working copy, and beside its points the answers as they were typed.
const KEY = "loaderlab", VERSION = 1;

export function recall() {
  try {
    const found = JSON.parse(localStorage.getItem(KEY));
    if (found?.version === VERSION) return found;
  } catch { /* private windows remember nothing */ }
  return { version: VERSION, lessons: {} };
}

export function of(lesson) {
  const { points = {}, guesses = {}, hints = {}, answers = {}, ...others } = recall().lessons[lesson] ?? {};
  return { points, guesses, hints, answers, ...others };
}

export function remember(lesson, change) {
  const all = recall(), now = of(lesson);
  change(now);
  all.lessons[lesson] = now;
  keep(all);
}

export function keep(all) {
  try { localStorage.setItem(KEY, JSON.stringify(all)); } catch { /* full, or private */ }
}

const FITS = { guesses: () => true, hints: Number.isInteger, answers: (each) => typeof each === "string" };

// True of points that an exercise can give; `most` is its maximum, where it is one of this course.
export const given = (points, most = Infinity) => Number.isFinite(points) && points >= 0 && points <= most;

// Read a progress file; "none" where the text is none, "refused" where something of it was left out, else "brought". Points that
// are here already do not fall. `most` has the maxima, by lesson and exercise.
export function read(text, most) {
  let file, says = "brought";
  try { file = JSON.parse(text); } catch { return "none"; }
  if (!(file?.version <= VERSION) || typeof file.lessons !== "object" || !file.lessons) return "none";
  for (const [lesson, brought] of Object.entries(file.lessons)) {
    remember(lesson, (now) => {
      const take = (part, fits, into) => {
        for (const [name, each] of Object.entries(brought?.[part] ?? {})) if (fits(each, name)) into(name, each); else says = "refused";
      };
      take("points", (each, name) => given(each, most[lesson]?.[name]), (name, each) => { now.points[name] = Math.max(each, now.points[name] ?? 0); });
      for (const [part, fits] of Object.entries(FITS)) take(part, fits, (name, each) => { now[part][name] = each; });
      if (brought?.case?.accused) now.case = brought.case;
    });
  }
  return says;
}

export const written = () => `${JSON.stringify(recall(), null, 1)}\n`;
