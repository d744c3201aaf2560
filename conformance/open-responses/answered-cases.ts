import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { StreamEvent } from '../judges/index.ts';
import { serverSentEvents } from '../readers/server-sent-events.ts';
import { asArray, asObject, parseJson } from '../shared/json.ts';
import { type OpenResponsesBed, PLACES, startOpenResponsesBed } from './bed.ts';
import { CASES, type OpenCase } from './cases.ts';

type Json = Readonly<Record<string, unknown>>;

/** Checks a response; returns one line per problem. */
export interface AnswerJudge {
  whole(response: Json): readonly string[];
  stream(events: readonly StreamEvent[]): readonly string[];
}

export interface Judged {
  readonly response: Json;
  readonly problems: readonly string[];
}

/** A response and the problems that were found in it. */
export function judged(text: string, stream: boolean, judge: AnswerJudge): Judged {
  if (!stream) {
    const response = asObject(parseJson(text));
    return { response, problems: judge.whole(response) };
  }
  const events = serverSentEvents(text);
  const last = asObject(parseJson(events.findLast(({ data }) => data !== '[DONE]')?.data ?? '{}'));
  return { response: asObject(last.response), problems: judge.stream(events) };
}

/**
 * Returns the content of a response without ids, which differ on every run, and without reasoning items that show no
 * text: if a stream's reasoning state arrives after the text, the gateway stores it but returns no item.
 */
function said({ status, output, usage }: Json): Json {
  const all = asArray(output).map((item) => {
    const { type, name, arguments: args, content, summary } = asObject(item);
    const texts = [...asArray(content), ...asArray(summary)].map((part) => asObject(part).text);
    return { type, name, args, texts };
  });
  const items = all.filter(({ type, texts }) => type !== 'reasoning' || texts.length > 0);
  return { status, items, tokens: asObject(usage).output_tokens };
}

const typesOf = ({ output }: Json) => asArray(output).map((item) => asObject(item).type);

/**
 * Defines the tests that each case succeeds over the sandbox and over an upstream of each format, with the same result
 * whole and streamed.
 *
 * @returns the gateway, for tests that are defined after these
 */
export function testAnsweredCases(judge: AnswerJudge): () => OpenResponsesBed {
  let bed: OpenResponsesBed;
  beforeAll(async () => {
    bed = await startOpenResponsesBed();
  });
  afterAll(() => bed?.stop());

  async function answered(body: Json): Promise<Json> {
    const { status, text } = await bed.ask(body);
    expect([status, status === 200 ? '' : text]).toEqual([200, '']);
    const { response, problems } = judged(text, body.stream === true, judge);
    expect(problems).toEqual([]);
    return response;
  }

  async function run({ request, next, has, status = 'completed' }: OpenCase, model: string): Promise<void> {
    const first = { model, ...request };
    // A case with two requests uses the same mode, whole or streamed, for both.
    const bodyFor = async (stream: boolean) =>
      next === undefined ? { ...first, stream } : { model, ...next(await answered({ ...first, stream })), stream };
    const whole = await answered(await bodyFor(false));
    const streamed = await answered(await bodyFor(true));
    expect([whole.status, typesOf(whole)]).toEqual([status, expect.arrayContaining([has])]);
    expect(said(streamed)).toEqual(said(whole));
  }

  describe.each(PLACES.map((place) => [place.over, place] as const))('over %s', (_over, place) => {
    test.concurrent.each(CASES.map((one) => [one.name, one] as const))('%s', async (_name, one) => {
      await run(one, one.thinks ? place.thinking : place.model);
    });
  });

  return () => bed;
}
