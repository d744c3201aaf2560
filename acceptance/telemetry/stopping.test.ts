import { afterAll, expect, test } from 'bun:test';
import { Bed, chatBody, SECRETS } from './bed.ts';

/* The exports of a gateway that stops, and of one whose collector does not answer. */

test('a gateway that stops exports what waits', async () => {
  const bed = await Bed.start({ variables: { OTEL_BSP_SCHEDULE_DELAY: '600000' } });
  try {
    const answer = await bed.send('/v1/chat/completions', chatBody());
    await answer.text();
    const id = answer.headers.get('x-request-id') ?? '';
    await bed.untilLogged(answer);
    expect(await bed.collector.spans()).toEqual([]);
    expect(await bed.serving.stop()).toBe(0);
    expect(await bed.collector.text()).toContain(id);
  } finally {
    await bed.remove();
  }
});

/** Accepts connections and never answers. */
const silent = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 0,
  fetch: () => new Promise<Response>(() => {}),
});
afterAll(() => silent.stop(true));

test.each([
  ['is unreachable', 'http://127.0.0.1:1'],
  ['never answers', `http://127.0.0.1:${silent.port}`],
])('a gateway whose collector %s answers as usual, and stops in time', async (_what, endpoint) => {
  const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_TIMEOUT: '600000' };
  const bed = await Bed.start({ variables });
  try {
    const answer = await bed.send('/v1/chat/completions', chatBody());
    expect(await answer.text()).toContain(SECRETS.answer);
    expect(await bed.serving.stop()).toBe(0);
  } finally {
    await bed.remove();
  }
});
