/* Runs before the first paint, so that a page in the dark theme does not flash white. `shell/theme.ts` stores the choice. */

const chosen = localStorage.getItem('switchyard.theme');
const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
