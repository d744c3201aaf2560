import { useSyncExternalStore } from 'react';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** The script that runs before the first paint (`dashboard/theme.ts`) reads the same key. */
const KEPT_AS = 'switchyard.theme';

const dark = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

function kept(): Theme {
  const value = localStorage.getItem(KEPT_AS);
  return value === 'light' || value === 'dark' ? value : 'system';
}

function apply(): void {
  const theme = kept();
  document.documentElement.dataset.theme = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme;
}

dark.addEventListener('change', apply);
window.addEventListener('storage', ({ key }) => {
  if (key !== KEPT_AS) return;
  apply();
  for (const listener of listeners) listener();
});
apply();

export function chooseTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(KEPT_AS);
  else localStorage.setItem(KEPT_AS, theme);
  apply();
  for (const listener of listeners) listener();
}

export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, kept);
}
