/** How often clients of silent streams receive a ping; 0 for never. */
export interface PingSettings {
  readonly intervalMs: number;
}

/** 15 s is below the idle timeouts of common proxies, which are 30 to 100 s (nginx 60 s, Cloudflare 100 s, many load balancers 60 s). */
export const DEFAULT_PINGS: PingSettings = { intervalMs: 15_000 };
