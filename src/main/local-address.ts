/** Returns the address at which this machine reaches a gateway that listens on a host and a port, without a path. */
export function localAddress({ host, port }: { readonly host: string; readonly port: number }): string {
  // A listener on all addresses accepts IPv4 too, and containers often have no IPv6 loopback.
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
