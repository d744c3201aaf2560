/* Runs before anything is shown, so that a page in the dark theme does not begin with a white flash. `shell/theme.ts` keeps the choice. */

const chosen = localStorage.getItem('switchyard.theme');
const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
