/**
 * The token of the link that led here. It is in the fragment, which no server sees, and is removed from the address bar at once. Empty if
 * the link has none.
 */
export const oneTimeToken = location.hash.slice(1);

if (oneTimeToken !== '') history.replaceState(history.state, '', location.pathname + location.search);

// Another link in the same tab does not reload the page by itself.
window.addEventListener('hashchange', () => {
  if (location.hash !== '' && location.pathname.endsWith('/welcome')) location.reload();
});
