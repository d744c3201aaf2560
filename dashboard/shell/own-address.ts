/**
 * Returns the gateway's address for programs and people, without a trailing slash: the configured one, else the one by which the page was
 * reached. Only the browser knows the path that a proxy strips without saying so.
 */
export function ownAddress(publicUrl: string | null, base: string = document.baseURI): string {
  return publicUrl ?? new URL('.', base).href.replace(/\/$/, '');
}

/** Returns a one-time link as it works at this address. The gateway may have made it for an address without the proxy's path. */
export function linkAt(address: string, link: string): string {
  return `${address}/welcome${new URL(link).hash}`;
}
