import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { StreamEvent } from '../judges/index.ts';
import { serverSentEvents } from '../readers/server-sent-events.ts';
import { asArray, asObject, parseJson } from '../shared/json.ts';
import { type OpenResponsesBed, PLACES, startOpenResponsesBed } from './bed.ts';
import { CASES, type OpenCase } from './cases.ts';

type Json = Readonly<Record<string, unknown>>;

/** Returns one line per problem of an answer. */
export interface AnswerJudge {
  whole(response: Json): readonly string[];
  stream(events: readonly StreamEvent[]): readonly string[];
}

export interface Judged {
  readonly response: Json;
  readonly problems: readonly string[];
}

/** The response of an answer, and what is wrong with it. */
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
 * Returns what was said, without the ids, which are new each time, and without unreadable reasoning state: the gateway remembers state that
 * arrives after a stream's text, and makes no item of it.
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
 * Defines the tests that the cases are answered over the sandbox and over an upstream of each format, whole and streamed alike.
 *
 * @returns the gateway that was asked, for tests that are defined after these
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
    // The second half of a case goes on from an answer of its own kind.
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
