import { isIP } from 'node:net';
import type { HttpProxy, Proxies } from '../proxies.ts';

/** How a server proves its identity, if not by the URL's host and the system's authorities. */
export interface PlaceTls {
  readonly serverName: string;
  readonly ca?: readonly string[];
}

/** The destination of connections. Connections with the same `key` are interchangeable. */
export interface Place {
  readonly key: string;
  /** A name or an address, without brackets. */
  readonly hostname: string;
  readonly port: number;
  readonly tls: { readonly serverName?: string; readonly ca?: string[] } | false;
  /** The value of the `Host` header. */
  readonly host: string;
  /** The proxy; `null` for a direct connection. */
  readonly proxy: HttpProxy | null;
}

export interface Locator {
  readonly place: Place;
  /** Path and query, preceded by the origin if a proxy reads it. */
  readonly target: string;
}

/** Channels have few URLs; each task and file has its own. */
const MAX_KNOWN = 1_000;

/** Parses URLs and caches the results, since a channel uses the same ones all the time. */
export class Locators {
  private readonly known = new Map<string, Locator>();

  constructor(private readonly proxies: Proxies | null) {}

  /** Throws if `url` is neither http nor https. */
  find(url: string, tls: PlaceTls | undefined): Locator {
    if (tls !== undefined) return parse(url, tls, this.proxies);
    let locator = this.known.get(url);
    if (locator === undefined) {
      locator = parse(url, undefined, this.proxies);
      if (this.known.size >= MAX_KNOWN) this.known.clear();
      this.known.set(url, locator);
    }
    return locator;
  }
}

function parse(url: string, tls: PlaceTls | undefined, proxies: Proxies | null): Locator {
  const parsed = new URL(url);
  const { protocol, hostname, host, port, pathname, search } = parsed;
  if (protocol !== 'http:' && protocol !== 'https:') throw new TypeError(`${protocol} is not HTTP`);
  const isSecure = protocol === 'https:';
  const bare = hostname.replace(/^\[|\]$/g, '');
  const proof = isSecure ? (tls ?? { serverName: bare.replace(/\.$/, '') }) : false;
  const proxy = proxies?.of(parsed) ?? null;
  const via = proxy === null ? '' : `via ${proxy.hostname} ${proxy.port}`;
  const key = `${protocol}//${host} ${tls === undefined ? '' : JSON.stringify(tls)} ${via}`;
  const place: Place = {
    key,
    hostname: bare,
    port: port === '' ? (isSecure ? 443 : 80) : Number(port),
    tls: proof && {
      ...(isIP(proof.serverName) === 0 || tls === undefined ? { serverName: proof.serverName } : {}),
      ...('ca' in proof && proof.ca !== undefined ? { ca: [...proof.ca] } : {}),
    },
    host,
    proxy,
  };
  const path = `${pathname}${search}`;
  return { place, target: proxy !== null && !isSecure ? `${protocol}//${host}${path}` : path };
}
