/** An origin that cannot exist, so that any address elsewhere shows a different one. */
const HERE = 'http://gateway.invalid';

/**
 * Returns the page for signed-in people that an address names, parsed as a browser would; `null` for an address elsewhere (`//evil`,
 * `/\evil`, `https:evil`, `javascript:…`), for the sign-in page itself, and for an invalid address.
 */
export function ownPage(address: string): { readonly path: string; readonly search: string } | null {
  if (!URL.canParse(address, HERE)) return null;
  const { origin, pathname, search } = new URL(address, HERE);
  const isPage = origin === HERE && pathname.startsWith('/app/') && pathname !== '/app/sign-in';
  return isPage ? { path: pathname, search } : null;
}
