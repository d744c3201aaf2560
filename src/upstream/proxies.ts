import { isIP } from 'node:net';
import { type AddressRange, isWithin, parseNetworkAddress } from '../domain/access/network-address.ts';

/** An HTTP proxy on the way to upstreams. */
export interface HttpProxy {
  /** Whether the connection to the proxy is unencrypted; Bun supports neither TLS within TLS nor SOCKS. */
  readonly isPlain: boolean;
  /** A name or an address, without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** The `Proxy-Authorization` header; `null` if there are no credentials. */
  readonly authorization: string | null;
}

/** One entry of `NO_PROXY`. */
interface Exclusion {
  /** In lower case, without a leading dot or asterisk; it includes subdomains. */
  readonly name: string;
  readonly range: AddressRange | null;
  /** `null` for all ports. */
  readonly port: number | null;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** An environment variable does not contain a proxy's URL. Its value may contain a password, so it is not shown. */
export class UnusableProxy extends Error {
  constructor(readonly variable: string) {
    super(`${variable}: is not the address of a proxy, such as http://proxy.example:3128`);
  }
}

/**
 * Selects the proxy of a request by the variables that curl and Bun's `fetch` use: `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`,
 * lower case before upper case, an empty one counting as unset. The behaviour was verified with `fetch`.
 */
export class Proxies {
  private readonly forHttp: HttpProxy | null;
  private readonly forHttps: HttpProxy | null;
  private readonly exclusions: readonly Exclusion[];
  private readonly excludesAll: boolean;

  /** Throws `UnusableProxy`. */
  constructor(environment: Environment) {
    const all = namedBy(environment, 'all_proxy');
    this.forHttp = namedBy(environment, 'http_proxy') ?? all;
    this.forHttps = namedBy(environment, 'https_proxy') ?? all;
    const excluded = (variable(environment, 'no_proxy')?.value ?? '').split(/[\s,]+/).filter((one) => one !== '');
    this.excludesAll = excluded.includes('*');
    this.exclusions = excluded.map(exclusionOf);
  }

  /** Whether one of the proxies is of a kind that our own client does not support. */
  get areMixed(): boolean {
    return this.forHttp?.isPlain === false || this.forHttps?.isPlain === false;
  }

  /** Returns the proxy for an http or https URL; `null` for a direct connection. */
  of({ protocol, hostname, port }: URL): HttpProxy | null {
    const isSecure = protocol === 'https:';
    const proxy = isSecure ? this.forHttps : this.forHttp;
    if (proxy === null || this.excludesAll) return null;
    const bare = hostname.replace(/^\[|\]$|\.$/g, '').toLowerCase();
    const number = port === '' ? (isSecure ? 443 : 80) : Number(port);
    return this.exclusions.some((one) => isExcluded(bare, number, one)) ? null : proxy;
  }
}

function variable(environment: Environment, name: string): { readonly name: string; readonly value: string } | null {
  for (const spelling of [name, name.toUpperCase()]) {
    const value = environment[spelling]?.trim();
    if (value) return { name: spelling, value };
  }
  return null;
}

function namedBy(environment: Environment, name: string): HttpProxy | null {
  const found = variable(environment, name);
  if (found === null) return null;
  const { value } = found;
  const url = URL.parse(value.includes('://') ? value : `http://${value}`);
  if (url === null || url.hostname === '') throw new UnusableProxy(found.name);
  const { protocol, hostname, port, username, password } = url;
  return {
    isPlain: protocol === 'http:',
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? 80 : Number(port),
    authorization: username === '' && password === '' ? null : basic(found.name, username, password),
  };
}

function basic(name: string, username: string, password: string): string {
  try {
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return `Basic ${Buffer.from(pair).toString('base64')}`;
  } catch {
    throw new UnusableProxy(name);
  }
}

/** Parses `example.com`, `.example.com`, `*.example.com`, `10.0.0.0/8`, `::1`; all except ranges may have a port. */
function exclusionOf(text: string): Exclusion {
  const range = rangeOf(text);
  if (range !== null) return { name: '', range, port: null };
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::([0-9]{1,5}))?$/.exec(text) ?? [];
  const name = (bracketed ?? plain ?? text).toLowerCase();
  const bare = name.replace(/^\*?\./, '').replace(/\.$/, '');
  return { name: bare, range: null, port: port === undefined ? null : Number(port) };
}

/** Parses a range; bits beyond the prefix are ignored, as in other programs. */
function rangeOf(text: string): AddressRange | null {
  const [, address = '', bits = ''] = /^([0-9a-f.:]+)\/([0-9]{1,3})$/i.exec(text) ?? [];
  const base = parseNetworkAddress(address);
  const prefixLength = Number(bits);
  return base === null || prefixLength > (base.version === 4 ? 32 : 128) ? null : { base, prefixLength };
}

function isExcluded(host: string, port: number, exclusion: Exclusion): boolean {
  if (exclusion.port !== null && exclusion.port !== port) return false;
  const address = isIP(host) === 0 ? null : parseNetworkAddress(host);
  if (exclusion.range !== null) return address !== null && isWithin(address, exclusion.range);
  if (exclusion.name === '') return false;
  // An IPv6 address has several spellings, and a suffix of an address is not a domain.
  const other = address === null ? null : parseNetworkAddress(exclusion.name);
  if (address !== null) return other !== null && other.version === address.version && other.value === address.value;
  return host === exclusion.name || host.endsWith(`.${exclusion.name}`);
}
