/** Matches IP addresses as `URL` writes them, with IPv6 in brackets. */
const IP_ADDRESS = /^[\d.]+$|^\[/;

/**
 * Returns the URL at which a job is polled. `said` is a path below the base address, or the URL that the upstream gave. The request carries
 * the channel's key, so it goes to the host of the base address, or by https to another host of the same domain (providers have regional
 * hosts). Any other URL is asked at the host of the base address.
 */
export function nextUrl(baseUrl: string, said: string): string {
  if (said.startsWith('/') && !said.startsWith('//')) return baseUrl + said;
  const base = new URL(baseUrl);
  const url = URL.parse(said, base.origin);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return baseUrl;
  const isOwnHost = url.origin === base.origin;
  if (isOwnHost || (isPlainHttps(url) && isPlainHttps(base) && domainOf(url) === domainOf(base))) {
    return url.origin + url.pathname + url.search;
  }
  return base.origin + url.pathname + url.search;
}

function isPlainHttps({ protocol, port, hostname }: URL): boolean {
  return protocol === 'https:' && port === '' && !IP_ADDRESS.test(hostname);
}

/** Returns the last two labels of the host: `bfl.ai` for `api.eu.bfl.ai`. No provider's address lies directly below a public suffix. */
function domainOf({ hostname }: URL): string {
  return hostname.split('.').slice(-2).join('.');
}
