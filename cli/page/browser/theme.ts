const key = "tilth-theme";

/** The system's, until somebody chooses. */
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
    // a file of its own may have no storage; the choice holds for this view
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
