/** How often clients of silent streams get a ping; 0 for never. */
export interface PingSettings {
  readonly intervalMs: number;
}

/**
 * Proxies cut a connection that is silent for 30 to 100 s (nginx 60 s, Cloudflare 100 s, many load balancers 60 s); 15 s is below
 * all of them.
 */
export const DEFAULT_PINGS: PingSettings = { intervalMs: 15_000 };
