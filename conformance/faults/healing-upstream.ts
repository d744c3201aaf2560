export interface HealingUpstream {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  readonly stop: () => Promise<void>;
}

/** `NAME.heals-N.rec-aaaaaaaa.rec-bbbbbbbb`: the first recording for the first N requests, the second one afterwards. */
const HEALING = /([\w-]+\.)heals-(\d+)\.rec-[0-9a-f]{8}\.(?=rec-)/;

export function healingModel(failures: number, badId: string, goodId: string): string {
  return `heals-${failures}.${badId}.${goodId}`;
}

/** Runs in front of the replay server, which cannot replay a recorded failure that ends. */
export function startHealingUpstream(replayBaseUrl: string): HealingUpstream {
  const counts = new Map<string, number>();
  const { origin } = new URL(replayBaseUrl);
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 60,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const path = decodeURIComponent(pathname) + search;
      const body = await request.text();
      const [name = '', , failures] = HEALING.exec(path + body) ?? [];
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      const served = (text: string) => (count > Number(failures) ? text.replace(HEALING, '$1') : text);
      return fetch(origin + served(path), {
        method: request.method,
        headers: { 'content-type': 'application/json' },
        body: served(body),
      });
    },
  });
  return { baseUrl: `http://127.0.0.1:${server.port}/v1`, stop: () => server.stop(true) };
}
