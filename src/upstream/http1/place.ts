import { isIP } from 'node:net';
import type { HttpProxy, Proxies } from '../proxies.ts';

/** How a server proves who it is, where that is not the URL's host with the system's authorities. */
export interface PlaceTls {
  readonly serverName: string;
  readonly ca?: readonly string[];
}

/** Where connections go. Those of the same `key` serve each other's requests. */
export interface Place {
  readonly key: string;
  /** A name or an address, without brackets. */
  readonly hostname: string;
  readonly port: number;
  readonly tls: { readonly serverName?: string; readonly ca?: string[] } | false;
  /** As `Host` has it. */
  readonly host: string;
  /** On the way there; `null` where there is none. */
  readonly proxy: HttpProxy | null;
}

export interface Locator {
  readonly place: Place;
  /** Path and query; with the origin before them where a proxy reads it. */
  readonly target: string;
}

/** Channels have few URLs; tasks and files one each. */
const MAX_KNOWN = 1_000;

/** Parses URLs, and remembers the last ones: a channel asks the same ones all the time. */
export class Locators {
  private readonly known = new Map<string, Locator>();

  constructor(private readonly proxies: Proxies | null) {}

  /** Throws where `url` is none of http or https. */
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
