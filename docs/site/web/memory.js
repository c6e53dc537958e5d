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

// Read a progress file; false where the text is none. Points that are here already do not fall.
export function read(text) {
  let file;
  try { file = JSON.parse(text); } catch { return false; }
  if (!(file?.version <= VERSION) || typeof file.lessons !== "object" || !file.lessons) return false;
  for (const [lesson, brought] of Object.entries(file.lessons)) {
    remember(lesson, (now) => {
      for (const [name, points] of Object.entries(brought.points ?? {})) {
        now.points[name] = Math.max(points, now.points[name] ?? 0);
      }
      for (const part of ["guesses", "hints", "answers"]) Object.assign(now[part], brought[part]);
      if (brought.case?.steps || brought.case?.seen) now.case = brought.case;
    });
  }
  return true;
}

export const written = () => `${JSON.stringify(recall(), null, 1)}\n`;
