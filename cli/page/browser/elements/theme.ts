const key = "tilth-theme";

/** Applies the chosen theme; without a choice the system's theme applies. */
export function applyTheme(): void {
  const chosen = stored();
  if (chosen !== null) document.documentElement.setAttribute("data-theme", chosen);
}

export function toggleTheme(): void {
  const now = document.documentElement.getAttribute("data-theme") ?? (systemIsDark() ? "dark" : "light");
  const next = now === "dark" ? "light" : "dark";
  document.documentElement.setAttribute("data-theme", next);
  try {
    localStorage.setItem(key, next);
  } catch {
    // a page opened from a file may have no storage; the choice then holds for this view
  }
}

function systemIsDark(): boolean {
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

function stored(): "dark" | "light" | null {
  try {
    const value = localStorage.getItem(key);
    return value === "dark" || value === "light" ? value : null;
  } catch {
    return null;
  }
}
