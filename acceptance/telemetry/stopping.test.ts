import { expect, test } from 'bun:test';
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

test('a gateway whose collector is unreachable answers as usual, and stops in time', async () => {
  const bed = await Bed.start({ variables: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' } });
  try {
    const answer = await bed.send('/v1/chat/completions', chatBody());
    expect(await answer.text()).toContain(SECRETS.answer);
    expect(await bed.serving.stop()).toBe(0);
  } finally {
    await bed.remove();
  }
});
