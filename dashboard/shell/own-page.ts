/** A name that nobody can have: whatever leads away from here shows in the origin. */
const HERE = 'http://gateway.invalid';

/**
 * The page of people who have signed in that an address names, read as a browser would read it; `null` for an address elsewhere (`//evil`,
 * `/\evil`, `https:evil`, `javascript:…`), for the door itself, and for what is no address.
 */
export function ownPage(address: string): { readonly path: string; readonly search: string } | null {
  if (!URL.canParse(address, HERE)) return null;
  const { origin, pathname, search } = new URL(address, HERE);
  const isPage = origin === HERE && pathname.startsWith('/app/') && pathname !== '/app/sign-in';
  return isPage ? { path: pathname, search } : null;
}
