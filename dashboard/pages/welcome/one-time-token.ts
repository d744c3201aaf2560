/**
 * The token of the link that has led here. It stands in the fragment, which no server sees, and leaves the address bar as soon as it is
 * read. Empty where the link has none.
 */
export const oneTimeToken = location.hash.slice(1);

if (oneTimeToken !== '') history.replaceState(history.state, '', location.pathname + location.search);

// Another link in the same tab does not load the page anew by itself.
window.addEventListener('hashchange', () => {
  if (location.hash !== '' && location.pathname.endsWith('/welcome')) location.reload();
});
