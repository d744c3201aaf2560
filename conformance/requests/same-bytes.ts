import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { FORMATS } from '../judges/index.ts';
import { comparableRequest, firstByteDifference } from '../openai-chat/relayed-bytes.ts';
import type { ClientFormat } from '../readers/index.ts';
import { parseJson } from '../shared/json.ts';
import { withChangeAt, withValue } from '../shared/json-text.ts';
import { filesIn, isLabelRight } from '../shared/labelled-files.ts';
import type { ClientRequest } from './recorded-requests.ts';
import type { ReceivedRequest } from './recording-upstream.ts';
import { type RequestBed, startRequestBed } from './request-bed.ts';
import { bodyFor, send } from './send.ts';
import { publicModel, upstreamModel } from './targets.ts';

export type SentRequest = Pick<ClientRequest, 'name' | 'format' | 'stream' | 'headers'>;

/** OpenAI's and Google's models refuse members, each family others, which the gateway leaves out; this one takes all. */
const KIND = 'unruled';

export function relayedModel(format: ClientFormat): string {
  return publicModel(format, KIND);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * The client's text with the upstream's label in the place of each one that the file's bytes contradict, provided that the bytes
 * have the upstream's: providers compare the two, so the gateway corrects them.
 */
export function withTrueLabels(client: string, upstream: string): string {
  const sent = filesIn(parseJson(upstream));
  return filesIn(parseJson(client)).reduce((text, file, index) => {
    const got = sent[index];
    if (isLabelRight(file) || got?.base64 !== file.base64 || !isLabelRight(got)) return text;
    return withChangeAt(text, file.path, (value) => value.replace(file.label, () => got.label));
  }, client);
}

/** Both bodies without the model's value, and the upstream's without the flag that asks a chat stream for its usage. */
function withoutPatches(format: ClientFormat, client: string, upstream: string, model: string) {
  if (format === 'gemini') return { expected: client, sent: upstream };
  if (format === 'openai-chat') return comparableRequest(client, upstream, model);
  return { expected: withValue(client, 'model', JSON.stringify(model)), sent: upstream };
}

/** A gateway with an upstream of each client format, to which requests of the same format are relayed. */
export class RequestRelay {
  #bed: RequestBed | undefined;

  get bed(): RequestBed {
    if (this.#bed === undefined) throw new Error('the relay was not started');
    return this.#bed;
  }

  async start(): Promise<void> {
    this.#bed = await startRequestBed(FORMATS);
  }

  async stop(): Promise<void> {
    await this.#bed?.stop();
  }

  /** Sends the body as it is; returns what the upstream got. */
  async relay(request: SentRequest, body: string): Promise<ReceivedRequest & { readonly text: string }> {
    const { gateway, upstream } = this.bed;
    upstream.take(request.format);
    const response = await send(gateway, request, relayedModel(request.format), body);
    const answer = await response.text();
    const [received] = upstream.take(request.format);
    if (response.status !== 200 || received === undefined)
      throw new Error(`${response.status}: ${answer.slice(0, 300)}`);
    return { ...received, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(received.body) };
  }

  /** Where the upstream's bytes differ from the client's but for the declared patches; empty where they do not. */
  async differenceOf(request: SentRequest, body: string): Promise<readonly string[]> {
    try {
      const { text } = await this.relay(request, body);
      const labelled = withTrueLabels(body, text);
      const { expected, sent } = withoutPatches(request.format, labelled, text, upstreamModel(request.format, KIND));
      return hashOf(expected) === hashOf(sent) ? [] : [`${request.name}: ${firstByteDifference(expected, sent)}`];
    } catch (error) {
      return [`${request.name}: ${error}`];
    }
  }
}

/** Defines the tests that requests to an upstream of their own format keep their bytes; returns the relay, for further tests. */
export function testSameBytes(requests: readonly ClientRequest[]): RequestRelay {
  const relay = new RequestRelay();
  beforeAll(() => relay.start());
  afterAll(() => relay.stop());

  test.each(FORMATS)(
    'has the same hash in each request of %s among the exchanges',
    async (format) => {
      const problems: string[] = [];
      // A stored conversation is the gateway's own: one that it does not know cannot go on (docs/translation.md).
      const relayed = requests.filter((one) => one.format === format && one.body.previous_response_id === undefined);
      expect(relayed.length).toBeGreaterThan(0);
      for (const request of relayed) {
        problems.push(...(await relay.differenceOf(request, bodyFor(format, request.text, relayedModel(format)))));
      }
      expect(problems).toEqual([]);
    },
    120_000,
  );

  test('takes the Anthropic headers of the exchanges with it', async () => {
    const withHeaders = requests.filter(({ headers }) => Object.keys(headers).length > 0);
    expect(withHeaders.length).toBeGreaterThan(0);
    for (const request of withHeaders) {
      const body = bodyFor(request.format, request.text, relayedModel(request.format));
      const { headers } = await relay.relay(request, body);
      expect(headers.toJSON()).toMatchObject(request.headers);
    }
  });

  return relay;
}
