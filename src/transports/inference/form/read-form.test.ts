import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { pause, until } from '../../../domain/testing/until.ts';
import { hashOf, startFormServer } from './testing/form-server.ts';

setDefaultTimeout(600_000);

type Running = Awaited<ReturnType<typeof startFormServer>>;
let running: Running;
beforeAll(async () => {
  running = await startFormServer();
});
afterAll(() => running.close());
afterEach(async () => {
  await until('all is given back', () => running.folder.heldBytes === 0 && running.budget.heldBytes === 0);
  expect(await running.left()).toEqual([]);
  expect(running.errors).toEqual([]);
});

const TYPE = 'multipart/form-data; boundary=B';
const bytesOf = (size: number) => new Uint8Array(Buffer.alloc(size, crypto.getRandomValues(new Uint8Array(9_973))));

interface Part {
  readonly header: string;
  readonly value: string | Uint8Array;
}
const text = (name: string, value: string): Part => ({
  header: `Content-Disposition: form-data; name="${name}"`,
  value,
});
const file = (name: string, value: string | Uint8Array, type = 'image/png', fileName = 'a.png'): Part => ({
  header: `Content-Disposition: form-data; name="${name}"; filename="${fileName}"\r\nContent-Type: ${type}`,
  value,
});

function formOf(...parts: readonly Part[]): Uint8Array<ArrayBuffer> {
  const pieces = parts.flatMap(({ header, value }) => [
    Buffer.from(`--B\r\n${header}\r\n\r\n`),
    Buffer.from(value),
    Buffer.from('\r\n'),
  ]);
  return new Uint8Array(Buffer.concat([...pieces, Buffer.from('--B--\r\n')]));
}

async function send(body: Uint8Array<ArrayBuffer> | ReadableStream, headers: Record<string, string> = {}) {
  const answer = await fetch(running.server.url, {
    method: 'POST',
    body,
    headers: { 'content-type': TYPE, ...headers },
  });
  const told: unknown = await answer.json();
  return { status: answer.status, told };
}

async function expectTold(body: Uint8Array<ArrayBuffer>, told: object): Promise<void> {
  expect(await send(body)).toMatchObject({ status: 200, told });
}

async function expectRefused(body: Uint8Array<ArrayBuffer>, status: number, param: string | null, said: string) {
  const { status: got, told } = await send(body);
  expect({ status: got, told }).toMatchObject({ status, told: { param } });
  expect(told).toMatchObject({ message: expect.stringContaining(said) });
}

/** Writes raw bytes; resolves to the response once the server closes the connection or `isEnough` returns true. */
function raw(
  write: (socket: ReturnType<typeof connect>) => void,
  isEnough: (heard: string) => boolean,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(running.server.port), '127.0.0.1', () => write(socket));
    let heard = '';
    socket.on('data', (data) => {
      heard += data.toString('latin1');
      if (isEnough(heard)) socket.destroy();
    });
    socket.on('close', () => resolve(heard));
    socket.on('error', reject);
  });
}

const head = (length: number | null, type = TYPE) =>
  `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\n${length === null ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`}\r\n\r\n`;

describe('a form', () => {
  test('has texts and files', async () => {
    const image = bytesOf(1_000);
    await expectTold(formOf(text('prompt', 'Zwei\nZeilen 🦊\r\n--'), text('empty', ''), file('image', image)), {
      fields: { prompt: ['Zwei\nZeilen 🦊\r\n--'], empty: [''] },
      files: { image: [{ name: 'a.png', type: 'image/png', size: 1_000, hash: hashOf(image) }] },
    });
  });

  test('may arrive in pieces that are split anywhere', async () => {
    const image = Buffer.from('x--B\r\n-B\r\n--\r\n-\r\n--A');
    const body = formOf(text('a', 'b'), file('image', image), text('timestamp_granularities[]', 'word'));
    const expected = await send(body);
    expect(expected).toMatchObject({ status: 200, told: { files: { image: [{ hash: hashOf(image) }] } } });
    for (let at = 1; at < body.length; at++) {
      const stream = new ReadableStream({
        async start(controller) {
          controller.enqueue(body.subarray(0, at));
          await pause();
          controller.enqueue(body.subarray(at));
          controller.close();
        },
      });
      expect(await send(stream)).toEqual(expected);
    }
  });

  test.each([0, 1, 65_535, 65_536, 65_537, 131_072, 300_000])('has a file of %p bytes', async (size) => {
    const bytes = bytesOf(size);
    await expectTold(formOf(file('image', bytes)), { files: { image: [{ size, hash: hashOf(bytes) }] } });
  });

  test('has several files of one name in their order, with or without brackets', async () => {
    const [one, two, three] = [bytesOf(100), bytesOf(100_000), bytesOf(200_000)];
    await expectTold(formOf(file('image[]', one), file('image', two), file('mask', one), file('image[]', three)), {
      files: { image: [one, two, three].map((bytes) => ({ hash: hashOf(bytes) })), mask: [{ hash: hashOf(one) }] },
    });
  });

  test('has lists, with or without brackets', async () => {
    await expectTold(formOf(text('timestamp_granularities[]', 'word'), text('timestamp_granularities', 'segment')), {
      fields: { timestamp_granularities: ['word', 'segment'] },
    });
  });

  test('may repeat parts with unknown names', async () => {
    await expectTold(formOf(text('hotwords', 'one'), text('a', 'b'), text('hotwords[]', 'two')), {
      fields: { hotwords: ['one', 'two'], a: ['b'] },
    });
  });

  test('may be compressed', async () => {
    const body = formOf(file('image', new Uint8Array(200_000)), text('a', 'b'));
    const answer = await send(Uint8Array.from(gzipSync(body)), { 'content-encoding': 'gzip' });
    expect(answer).toMatchObject({
      status: 200,
      told: { fields: { a: ['b'] }, files: { image: [{ size: 200_000 }] } },
    });
  });

  test('has no parts', () => expectTold(Uint8Array.from(Buffer.from('--B--')), { fields: {}, files: {} }));

  test('may have text before and after its parts', async () => {
    const body = Buffer.concat([Buffer.from('Hello\r\n'), formOf(text('a', 'b')), Buffer.from('--B\r\nbye')]);
    await expectTold(new Uint8Array(body), { fields: { a: ['b'] } });
  });

  test('has no file if the page sent none', async () => {
    await expectTold(formOf(file('mask', '', 'application/octet-stream', ''), text('a', 'b')), { files: {} });
  });

  test('may have a quoted boundary, or one after another parameter', async () => {
    for (const type of ['multipart/form-data; boundary="B"', 'Multipart/Form-Data;charset=utf-8 ;Boundary=B']) {
      expect(await send(formOf(text('a', 'b')), { 'content-type': type })).toMatchObject({ status: 200 });
    }
  });
});

describe('a file name', () => {
  const named = (disposition: string): Part => ({
    header: `Content-Disposition: form-data; name="image"; ${disposition}`,
    value: 'x',
  });
  test.each([
    ['filename="a.png"', 'a.png'],
    ['filename=a.png', 'a.png'],
    ['filename="naïve 🦊.png"', 'naïve 🦊.png'],
    ['filename="x.png"; filename*=UTF-8\'\'na%C3%AFve.png', 'naïve.png'],
    ["filename*=utf-8'en'na%C3%AFve.png", 'naïve.png'],
    ["filename*=ISO-8859-1''na%EFve.png", 'naïve.png'],
    ['filename="a \\"b\\".png"', 'a "b".png'],
    ['filename="a %22b%22.png"', 'a "b".png'],
    ['filename="C:\\dir\\b.png"', 'b.png'],
    ['filename="../../etc/passwd"', 'passwd'],
    ['filename="a/.."', 'file'],
    ['filename="a\u0001b.png"', 'ab.png'],
    ['filename=""', 'file'],
    [`filename="${'x'.repeat(255)}"`, 'x'.repeat(255)],
  ])('%s', (disposition, name) => expectTold(formOf(named(disposition)), { files: { image: [{ name }] } }));

  test.each([
    [`filename="${'x'.repeat(256)}"`, 'longer than 255'],
    ["filename*=UTF-16''a", 'filename*'],
    ['filename*=UTF-8a', 'filename*'],
    ['filename*0=a; filename*1=b', 'filename*0'],
  ])('%s is refused', (disposition, said) => expectRefused(formOf(named(disposition)), 400, 'image', said));
});

describe('a form is refused', () => {
  test.each([
    [formOf(file('mask', '1'), file('mask', '2')), 'mask', 'repeated'],
    [formOf(file('mask', '1'), file('mask[]', '2')), 'mask', 'repeated'],
    [formOf(...Array.from({ length: 4 }, () => file('image', '1'))), 'image', 'more than 3 files'],
    [formOf(text('prompt', '1'), text('prompt', '1')), 'prompt', 'repeated'],
    [formOf(text('prompt', '1'), text('prompt[]', '1')), 'prompt', 'repeated'],
    [formOf(file('picture', '1')), 'picture', '`file`, `image`, `mask`'],
    [formOf(file('prompt', '1')), 'prompt', 'must not be a file'],
    [formOf(file('__proto__', '1')), '__proto__', 'must not be a file'],
    [formOf(text('image', '1')), 'image', 'must be a file'],
    [formOf({ header: 'Content-Type: image/png', value: '1' }), null, 'Content-Disposition'],
    [formOf({ header: 'Content-Disposition: form-data', value: '1' }), null, 'has no name'],
    [formOf({ header: 'Content-Disposition: form-data; name=""', value: '1' }), null, 'empty name'],
    [formOf({ header: 'Content-Disposition: form-data; name="[]"', value: '1' }), null, 'empty name'],
    [formOf({ header: 'Content-Disposition: attachment; name="a"', value: '1' }), null, 'Content-Disposition'],
    [formOf({ header: 'Content-Disposition: form-data; name="a"; name="b"', value: '1' }), null, 'Content-Disposition'],
    [formOf({ header: 'Content-Disposition: form-data; name="a', value: '1' }), null, 'Content-Disposition'],
    [
      formOf({
        header: 'Content-Disposition: form-data; name="a"\r\nContent-Disposition: form-data; name="b"',
        value: '',
      }),
      null,
      'Content-Disposition',
    ],
    [formOf(text('x'.repeat(201), '1')), null, 'longer than 200 bytes'],
    [formOf({ header: '', value: '1' }), null, 'Content-Disposition'],
    [
      formOf({
        header: 'Content-Disposition: form-data; name="a"\r\nContent-Type: text/plain; charset=utf-16',
        value: '1',
      }),
      'a',
      'utf-16',
    ],
    [
      formOf({ header: 'Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64', value: '1' }),
      'a',
      'base64',
    ],
    [
      formOf({
        header: 'Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: quoted-printable',
        value: '1',
      }),
      'a',
      'quoted-printable',
    ],
    [formOf(text('_charset_', 'iso-8859-1')), '_charset_', 'other than UTF-8'],
    [
      Uint8Array.from(Buffer.from('--B\r\nContent-Disposition: form-data; name="a"\r\n\r\n\xff\r\n--B--', 'latin1')),
      'a',
      'not valid UTF-8',
    ],
    [
      Uint8Array.from(Buffer.from('--B\r\nContent-Disposition: form-data; name="\xff"\r\n\r\n1\r\n--B--', 'latin1')),
      null,
      'not valid UTF-8',
    ],
    [Uint8Array.from(Buffer.from('--B\r\nContent-Disposition: form-data; name="a"\r\n--B--')), null, 'no empty line'],
    [Uint8Array.from(Buffer.from('{"a":1}')), null, 'lacks its final boundary'],
    [new Uint8Array(0), null, 'lacks its final boundary'],
    [formOf(text('a', 'b')).slice(0, -4), null, 'lacks its final boundary'],
    [
      Uint8Array.from(
        Buffer.from(
          Buffer.from(formOf(text('a', 'b')))
            .toString()
            .replaceAll('\r\n', '\n'),
        ),
      ),
      null,
      'lacks its final boundary',
    ],
  ] as const)('with 400, and its part is named: %#', (body, param, said) => expectRefused(body, 400, param, said));

  test('but not for an encoding that changes nothing', async () => {
    for (const header of [
      'Content-Transfer-Encoding: binary',
      'content-transfer-encoding: 8BIT',
      'Content-Type: text/plain; charset="UTF-8"',
    ]) {
      await expectTold(formOf({ header: `${text('a', '').header}\r\n${header}`, value: 'ä' }), {
        fields: { a: ['ä'] },
      });
    }
    await expectTold(formOf(text('_charset_', 'UTF-8'), text('a', '1')), { fields: { a: ['1'] } });
  });

  test.each([
    ['multipart/form-data', 'has no boundary'],
    ['multipart/form-data; boundary=', 'empty boundary'],
    ['multipart/form-data; boundary=""', 'empty boundary'],
    [`multipart/form-data; boundary=${'x'.repeat(71)}`, 'longer than 70'],
    ['multipart/form-data; boundary="a b "', 'characters'],
    ['multipart/form-data; boundary=a@b', 'characters'],
    ['multipart/form-data; boundary=B; boundary=C', 'two boundaries'],
  ])('whose content type is %p', async (type, said) => {
    const { status, told } = await send(formOf(text('a', 'b')), { 'content-type': type });
    expect([status, told]).toMatchObject([400, { code: 'invalid_value', param: 'Content-Type' }]);
    expect(told).toMatchObject({ message: expect.stringContaining(said) });
  });

  test.each(['application/json', 'multipart/mixed; boundary=B', 'application/x-www-form-urlencoded'])(
    'that is %p, with what to send',
    async (type) => {
      const { status, told } = await send(formOf(text('a', 'b')), { 'content-type': type });
      expect([status, told]).toMatchObject([400, { code: 'unsupported_content_type' }]);
      expect(told).toMatchObject({ message: expect.stringContaining('multipart/form-data; boundary=') });
    },
  );

  test('that is not compressed as declared', async () => {
    const answer = await send(formOf(text('a', 'b')), { 'content-encoding': 'gzip' });
    expect(answer).toMatchObject({ status: 400, told: { code: 'invalid_value' } });
  });
});

describe('a bound', () => {
  test('of a file: at it, and one byte past it', async () => {
    await expectTold(formOf(file('mask', bytesOf(1_000))), { files: { mask: [{ size: 1_000 }] } });
    await expectRefused(formOf(file('mask', bytesOf(1_001))), 413, 'mask', '1000 bytes');
    await expectTold(formOf(file('image', bytesOf(300_000))), { files: { image: [{ size: 300_000 }] } });
    await expectRefused(formOf(file('image', bytesOf(300_001))), 413, 'image', '300000 bytes');
    await expectTold(formOf(file('file', bytesOf(25_000_000))), { files: { file: [{ size: 25_000_000 }] } });
    await expectRefused(formOf(file('file', bytesOf(25_000_001))), 413, 'file', '25 MB');
  });

  test('of a text, and of a list item', async () => {
    await expectTold(formOf(text('prompt', 'x'.repeat(131_072))), {});
    await expectRefused(formOf(text('prompt', 'x'.repeat(131_073))), 413, 'prompt', '128 KiB');
    const item = (bytes: number) => text('timestamp_granularities', 'x'.repeat(bytes));
    await expectTold(formOf(...Array.from({ length: 4 }, () => item(4_194_304))), {});
    await expectRefused(formOf(item(4_194_305)), 413, 'timestamp_granularities', '4096 KiB');
    const five = [...Array.from({ length: 4 }, () => item(4_194_304)), text('prompt', '1')];
    await expectRefused(formOf(...five), 413, 'prompt', '16 MiB');
  });

  test('of the number of texts', async () => {
    const texts = (count: number) => Array.from({ length: count }, (_, index) => text(`a${index}`, '1'));
    expect((await send(formOf(...texts(256)))).status).toBe(200);
    await expectRefused(formOf(...texts(257)), 400, 'a256', 'more than 256');
  });

  test('of the headers of a part', async () => {
    const header = `${text('a', '').header}\r\nX-Long: ${'x'.repeat(100_000)}`;
    await expectTold(formOf({ header, value: '1' }), { fields: { a: ['1'] } });
    const behind = `X-Long: ${'x'.repeat(10_000)}\r\n${text('a', '').header}`;
    await expectRefused(formOf({ header: behind, value: '1' }), 400, null, 'Content-Disposition');
  });

  test('of empty parts', async () => {
    const body = Buffer.from('--B\r\n\r\n\r\n'.repeat(100_000));
    await expectRefused(new Uint8Array(body), 400, null, 'Content-Disposition');
  });

  test('of the whole, by its announced length before a byte has arrived', async () => {
    const heard = await raw(
      (socket) => socket.write(head(60_000_000)),
      (told) => told.includes('payload_too_large'),
    );
    expect(heard).toStartWith('HTTP/1.1 413');
  });

  test('of the whole, including the text before the parts', async () => {
    const body = new Uint8Array(45_000_000).fill(120);
    expect((await send(new Blob([body]).stream())).status).toBe(413);
  });

  test('of a file is reported while the client still sends', async () => {
    // The whole body would be 40 MB; the client stalls after these chunks.
    let left = 150;
    const more = Buffer.alloc(64 * 1024);
    const heard = await raw(
      (socket) => {
        socket.write(head(40_000_000));
        socket.write(`--B\r\n${file('mask', '').header}\r\n\r\n`);
        const write = () => {
          if (socket.destroyed || left-- === 0) return;
          socket.write(more, () => void pause().then(write));
        };
        write();
      },
      (told) => told.includes('payload_too_large'),
    );
    expect(heard).toStartWith('HTTP/1.1 413');
  });
});

describe('an upload that is cut off', () => {
  const body = formOf(text('a', 'b'), file('image', bytesOf(300_000)), file('mask', bytesOf(1_000)));

  test.each([10, 60, 200, 1_000, 70_000, 200_000, 299_000, 301_200])('after %p bytes leaves nothing', async (sent) => {
    const failures = running.failures.length;
    const { begun } = running.requests;
    await raw(
      async (socket) => {
        socket.write(head(body.length));
        socket.write(body.subarray(0, sent));
        await until('it has come', () => running.requests.begun > begun);
        socket.destroy();
      },
      () => false,
    );
    await until('it has failed', () => running.failures.length > failures);
    expect(running.failures.at(-1)).toMatchObject({ code: 'client_closed_request' });
  });

  test('by its own end, in chunks, is reported', async () => {
    const stream = (bytes: Uint8Array) => new Blob([new Uint8Array(bytes)]).stream();
    for (const sent of [0, 3, 60, 70_000, 301_200, body.length - 5]) {
      expect(await send(stream(body.subarray(0, sent)))).toMatchObject({ status: 400, told: { kind: 'invalid_form' } });
    }
  });

  test('for its low speed leaves nothing', async () => {
    const failures = running.failures.length;
    // Checks repeatedly: the client can act while a piece is written to disk.
    let passing: ReturnType<typeof setInterval> | null = null;
    await raw(
      (socket) => {
        socket.write(head(body.length));
        socket.write(body.subarray(0, 200_000), async () => {
          await until('it is on the disk', () => running.folder.heldBytes > 65_536);
          passing = setInterval(() => running.pass(200_000), 20);
        });
      },
      (told) => told.includes('request_timeout'),
    );
    if (passing !== null) clearInterval(passing);
    expect(running.failures.slice(failures)).toMatchObject([{ code: 'request_timeout' }]);
  });
});

test('200 concurrent uploads work, from one account or many', async () => {
  const bytes = bytesOf(250_000);
  const body = formOf(file('image', bytes), text('prompt', 'x'.repeat(1_000)));
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) => send(body, index % 2 ? { 'x-account': `a${index}` } : {})),
  );
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
});
