import { afterEach, expect, test } from 'bun:test';
import { sampleRecord } from '../../engine/ports/testing/samples.ts';
import { ClickHouseDestination } from './clickhouse-destination.ts';

const PASSWORD = 'canary-password';
let stop: () => Promise<unknown> = async () => undefined;

afterEach(() => stop());

/** Sends one line to a server that responds like this; resolves to the message of the error. */
async function sendTo(respond: () => Response): Promise<string> {
  const server = Bun.serve({
    ...{ port: 0, hostname: '127.0.0.1' },
    async fetch(request) {
      await request.arrayBuffer();
      return respond();
    },
  });
  const table = {
    url: server.url.origin,
    database: 'default',
    table: 'requests',
    user: 'exporter',
    password: PASSWORD,
  };
  const destination = new ClickHouseDestination({ exportId: 'warehouse', table, writtenBy: 'a test' });
  stop = async () => {
    await destination.close();
    await server.stop(true);
  };
  const batch = destination.open();
  await batch.add([{ id: 1, record: sampleRecord({ requestId: 'req_1' }), names: null }]);
  return batch.send().then(
    () => '',
    (error: Error) => error.message,
  );
}

test('rows that ClickHouse accepted are sent', async () => {
  expect(await sendTo(() => new Response('', { headers: { 'x-clickhouse-summary': '{}' } }))).toBe('');
});

test.each([
  [
    'a web server that accepts everything',
    new Response('<html>welcome</html>'),
    'not the HTTP interface of ClickHouse',
  ],
  [
    'an exception behind a status of 200',
    new Response('Code: 241. DB::Exception', { headers: { 'x-clickhouse-exception-code': '241' } }),
    'Code: 241',
  ],
  [
    'an exception with its status',
    new Response('Code: 60. DB::Exception: Table default.requests does not exist. (UNKNOWN_TABLE)', { status: 404 }),
    'Table default.requests does not exist',
  ],
])('%s is a failure without the password', async (_name, response, reason) => {
  const message = await sendTo(() => response);
  expect(message).toContain(reason);
  expect(message).not.toContain(PASSWORD);
});
