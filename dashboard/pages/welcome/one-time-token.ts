/** The member of the history entry's state that has the token. */
const KEPT_AS = 'switchyard.one-time-token';

const written = location.hash.slice(1);

/**
 * The token of the link that led here; empty if the link has none. It is in the fragment, which no server sees, and is moved from the
 * address bar to the history entry at once: so it is in no screenshot, copied address or list of visited pages, but a reload of the tab
 * finds it again. Entering replaces the entry.
 */
export const oneTimeToken = written === '' ? keptToken() : written;

if (written !== '') {
  history.replaceState({ ...history.state, [KEPT_AS]: written }, '', location.pathname + location.search);
}

// Another link in the same tab does not reload the page by itself.
window.addEventListener('hashchange', () => {
  if (location.hash !== '' && location.pathname.endsWith('/welcome')) location.reload();
});

function keptToken(): string {
  const kept: unknown = history.state?.[KEPT_AS];
  return typeof kept === 'string' ? kept : '';
}
