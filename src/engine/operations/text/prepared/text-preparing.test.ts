import { describe, expect, test } from 'bun:test';
import { chatAnswer, refusal } from '../../../call/testing/sample-answers.ts';
import { type Gateway, gateway, told } from '../../../call/testing/sample-gateway.ts';
import { inbound } from '../../../call/testing/sample-requests.ts';
import { channelOf, MODEL } from '../../../call/testing/sample-routes.ts';
import { sampleDirectory, sampleProvider } from '../../../directory/testing/sample-directory.ts';
import { sampleAccount, sampleCredential, sampleModel } from '../../../ports/testing/samples.ts';
import { TextPreparing } from './text-preparing.ts';

const PROVIDER = sampleProvider({
  name: 'both',
  baseUrl: 'http://both.example/v1',
  formats: [
    { format: 'openai-chat', path: '/chat/completions' },
    { format: 'openai-responses', path: '/responses' },
  ],
});

const utf8 = new TextEncoder();

function bodyOf(text: string): Uint8Array {
  return utf8.encode(JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: text }] }));
}

/** Makes a gateway with one channel, which has two wires. */
function oneChannel(): Gateway {
  const channels = [channelOf('only', 'both')];
  const directory = sampleDirectory({ channels, models: [sampleModel({ id: MODEL })] }, [PROVIDER]);
  return gateway({ directory: () => directory });
}

/** Makes a gateway that has prepared requests with the outline of `bodyOf`. */
async function prepared(): Promise<Gateway> {
  const made = oneChannel();
  for (const text of ['first', 'second']) {
    made.upstream.script('only', chatAnswer());
    await told(await made.ask({}, { bytes: bodyOf(text) }));
  }
  made.upstream.clear('only');
  made.upstream.sent.length = 0;
  return made;
}

describe('a prepared request', () => {
  test('is not found at the endpoint of another format', async () => {
    const made = await prepared();
    const outbound = await made.ask({}, { bytes: bodyOf('third'), format: 'openai-completions' });
    expect(outbound).toMatchObject({ kind: 'whole', status: 400 });
    expect(await told(outbound)).toContain('prompt');
    expect(made.upstream.sent).toEqual([]);
  });

  test('is translated for another wire of its channel', async () => {
    const made = await prepared();
    made.upstream.script('only', refusal(404), refusal(400));
    await told(await made.ask({}, { bytes: bodyOf('third') }));
    const sent = made.upstream.sent.map(({ request: { url, body } }) => ({
      path: new URL(url).pathname,
      members: Object.keys(JSON.parse(Buffer.from(body as Uint8Array).toString())),
    }));
    expect(sent).toEqual([
      { path: '/v1/chat/completions', members: ['model', 'messages'] },
      { path: '/v1/responses', members: expect.arrayContaining(['model', 'input']) },
    ]);
  });
});

test('a long body is not scanned at once', () => {
  const { services } = oneChannel();
  const call = { principal: { account: sampleAccount(), credential: sampleCredential() } };
  const preparing = TextPreparing.of(services, inbound(), call as never);
  const long = bodyOf('x'.repeat(100_000));
  expect(preparing?.find(long)).toBeNull();
  // A body that has been scanned is returned with its value.
  expect(preparing?.source(long)).toBe(long);
  const short = bodyOf('x');
  preparing?.find(short);
  expect(preparing?.source(short)).toMatchObject({ bytes: short, value: { model: MODEL } });
});
