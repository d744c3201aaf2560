import { afterAll, beforeAll, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { chatBody } from '../../conformance/shared/answer.ts';
import { until } from '../../conformance/shared/until.ts';
import { processFilesMissing, residentMegabytes } from '../shared/process-files.ts';
import { ProcessWorkspace, type ServingProcess } from '../shared/process-workspace.ts';

/* A client that sends `Expect: 100-continue` (RFC 9110, 10.1.1) is refused before it has sent any of its body. */

const MEBIBYTE = Buffer.alloc(1024 * 1024, ' ');
const ANNOUNCED_MEBIBYTES = 96;

let space: ProcessWorkspace;
let serving: ServingProcess;

beforeAll(async () => {
  space = await ProcessWorkspace.create();
  serving = await space.serve();
});
afterAll(() => space.remove());

class Client {
  received = '';

  constructor(private readonly socket: Socket) {
    socket.on('data', (piece: Buffer) => {
      this.received += piece.toString();
    });
  }

  async [Symbol.asyncDispose]() {
    this.socket.destroy();
  }

  head(path: string, key: string, contentLength: number): void {
    this.socket.write(
      `POST ${path} HTTP/1.1\r\nHost: a\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n` +
        `Expect: 100-continue\r\ncontent-length: ${contentLength}\r\n\r\n`,
    );
  }

  send(bytes: string | Buffer): Promise<void> {
    return new Promise((resolve, reject) => this.socket.write(bytes, (error) => (error ? reject(error) : resolve())));
  }

  /** Resolves to the received statuses once there are `count`. */
  async statuses(count: number): Promise<number[]> {
    const found = () => [...this.received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
    await until(`${count} answers`, () => found().length >= count);
    return found();
  }
}

const open = () => new Client(connect(serving.port, '127.0.0.1'));
/** Returns MiB, or 0 where the system does not report it. */
const memory = () => (processFilesMissing === undefined ? residentMegabytes(serving.pid) : 0);
const firstKey = () => serving.firstKey ?? expect.unreachable();

test.each([
  ['/v1/chat/completions', 'an unknown key', () => 'sk-unknown', 401],
  ['/v1/messages', 'an unknown key', () => 'sk-unknown', 401],
  ['/v1/chat/completions', 'a valid key and too much announced', firstKey, 413],
  ['/v1/nothing', 'a valid key', firstKey, 404],
])('%s with %s is refused before its body arrives, which is then discarded', async (path, _what, key, status) => {
  await using client = open();
  client.head(path, key(), ANNOUNCED_MEBIBYTES * MEBIBYTE.length);
  expect(await client.statuses(2)).toEqual([100, status]);
  const before = memory();
  let most = 0;
  for (let sent = 0; sent < ANNOUNCED_MEBIBYTES; sent++) {
    await client.send(MEBIBYTE);
    most = Math.max(most, memory() - before);
  }
  expect(most).toBeLessThan(ANNOUNCED_MEBIBYTES / 3);
  // The connection still works, so a client that is sending does not lose the response.
  await client.send('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
  expect(await client.statuses(3)).toEqual([100, status, 200]);
});

test('a request with a valid key gets 100 Continue, and a response after its body', async () => {
  await using client = open();
  const body = JSON.stringify(chatBody('sandbox-chat'));
  client.head('/v1/chat/completions', firstKey(), body.length);
  expect(await client.statuses(1)).toEqual([100]);
  await client.send(body);
  expect(await client.statuses(2)).toEqual([100, 200]);
});
