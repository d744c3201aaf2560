import { expect, setDefaultTimeout, test } from 'bun:test';
import { accountWith, clientKey, keyNamed } from '../../conformance/first-light/upstream.ts';
import { metricsOf } from '../../conformance/shared/metrics.ts';
import { until } from '../../conformance/shared/until.ts';
import { ProcessWorkspace } from '../shared/process-workspace.ts';

setDefaultTimeout(600_000);

const MODEL = 'universal-sentence-encoder-lite';

test('the gateway can stop while the model works', async () => {
  const other = await ProcessWorkspace.create();
  try {
    const SWITCHYARD_CONFIG = await other.write('switchyard.yaml', {
      channels: [{ id: 'local', provider: 'local', models: [MODEL] }],
      accounts: [accountWith('acme', [keyNamed('acme')])],
      server: { shutdown_grace_ms: 200 },
    });
    const stopping = await other.serve({ env: { SWITCHYARD_CONFIG } });
    const headers = { authorization: `Bearer ${clientKey('acme')}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ model: MODEL, input: Array.from({ length: 500 }, () => 'x y z '.repeat(40)) });
    const asked = fetch(`${stopping.baseUrl}/embeddings`, { method: 'POST', headers, body }).then(
      ({ status }) => status,
      () => 0,
    );
    await until('the request is in flight', async () =>
      (await metricsOf(stopping)).some(({ name, value }) => name === 'switchyard_requests_in_flight' && value > 0),
    );
    stopping.signal('SIGINT');
    expect(await asked).not.toBe(200);
    expect(await stopping.exited).toBe(0);
  } finally {
    await other.remove();
  }
});
