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

/**
 * The gateway removes members that OpenAI's and Google's models are known to reject. This kind of model has no such
 * rules.
 */
const KIND = 'unruled';

export function relayedModel(format: ClientFormat): string {
  return publicModel(format, KIND);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Returns the client's text with each wrong media type replaced by the upstream's, if the file's bytes match that. The
 * gateway corrects them because providers compare the two.
 */
export function withTrueLabels(client: string, upstream: string): string {
  const sent = filesIn(parseJson(upstream));
  return filesIn(parseJson(client)).reduce((text, file, index) => {
    const got = sent[index];
    if (isLabelRight(file) || got?.base64 !== file.base64 || !isLabelRight(got)) return text;
    return withChangeAt(text, file.path, (value) => value.replace(file.label, () => got.label));
  }, client);
}

/** Returns both bodies without the model id, and the upstream's without the flag that asks a chat stream for usage. */
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

  /** Sends the body unchanged; resolves to what the upstream received. */
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

  /**
   * Returns the difference between the client's and the upstream's bytes apart from the declared patches; empty if
   * there is none.
   */
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

/**
 * Defines the tests that requests to an upstream of the same format keep their bytes; returns the relay, for further
 * tests.
 */
export function testSameBytes(requests: readonly ClientRequest[]): RequestRelay {
  const relay = new RequestRelay();
  beforeAll(() => relay.start());
  afterAll(() => relay.stop());

  test.each(FORMATS)(
    'keeps its bytes in each recorded request of %s',
    async (format) => {
      const problems: string[] = [];
      // The gateway stores conversations itself, so one with an unknown id cannot continue (docs/translation.md).
      const relayed = requests.filter((one) => one.format === format && one.body.previous_response_id === undefined);
      expect(relayed.length).toBeGreaterThan(0);
      for (const request of relayed) {
        problems.push(...(await relay.differenceOf(request, bodyFor(format, request.text, relayedModel(format)))));
      }
      expect(problems).toEqual([]);
    },
    600_000,
  );

  test('keeps the recorded Anthropic headers', async () => {
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
