import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { documentsMissing, judgeAnswer, judgeError, judgeStream } from './judges/index.ts';
import { leafPairs } from './leaves/leaf-pairs.ts';
import { type LeafRequest, openResponsesRequests } from './leaves/leaf-requests.ts';
import { type OpenResponsesBed, PLACES, type Place, startOpenResponsesBed } from './open-responses/bed.ts';
import { CASES, type OpenCase } from './open-responses/cases.ts';
import { serverSentEvents } from './readers/server-sent-events.ts';
import { asArray, asObject, parseJson } from './shared/json.ts';

/*
 * Open Responses (openresponses.org), as its published document has it: the cases of its public suite and more, over the sandbox and
 * over an upstream of each format, whole and streamed. Every answer and every event is held against the document, and a stream
 * against what its own events say.
 */

type Json = Readonly<Record<string, unknown>>;

const FORMAT = 'openai-responses';
const AT_ONCE = 24;
let bed: OpenResponsesBed;

/** The response of an answer, and what is wrong with it. */
function judged(text: string, stream: boolean): { readonly response: Json; readonly problems: readonly string[] } {
  if (!stream) {
    const response = asObject(parseJson(text));
    return { response, problems: judgeAnswer(FORMAT, response, 'translated') };
  }
  const events = serverSentEvents(text);
  const last = asObject(parseJson(events.findLast(({ data }) => data !== '[DONE]')?.data ?? '{}'));
  return { response: asObject(last.response), problems: judgeStream(FORMAT, events, 'translated') };
}

async function answered(body: Json): Promise<Json> {
  const { status, text } = await bed.ask(body);
  expect([status, status === 200 ? '' : text]).toEqual([200, '']);
  const { response, problems } = judged(text, body.stream === true);
  expect(problems).toEqual([]);
  return response;
}

/**
 * What was said, without the ids, which are new each time, and without thoughts that nobody may read: state that comes behind the
 * text of a stream is remembered by the gateway, and makes no item.
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

describe.skipIf(documentsMissing() !== undefined)('Open Responses', () => {
  beforeAll(async () => {
    bed = await startOpenResponsesBed();
  }, 60_000);

  afterAll(() => bed?.stop());

  describe.each(PLACES.map((place) => [place.over, place] as const))('over %s', (_over, place) => {
    test.concurrent.each(CASES.map((one) => [one.name, one] as const))('%s', async (_name, one) => {
      await run(one, one.thinks ? place.thinking : place.model);
    });
  });

  test('requests of every leaf of its document, alone and together, are answered by it or refused by name', async () => {
    const single = openResponsesRequests();
    expect(single.length).toBeGreaterThan(100);
    const requests = [...single, ...leafPairs(single, 1)];
    const problems: string[] = [];
    const queue = requests.entries();
    const work = async () => {
      for (const [index, request] of queue) problems.push(...(await problemsOf(request, index)));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    expect(problems).toEqual([]);
  }, 120_000);
});

/** Whole at one place and streamed at another, so that all places see all kinds of leaves. */
async function problemsOf({ about, body }: LeafRequest, index: number): Promise<readonly string[]> {
  const problems = [false, true].map(async (stream) => {
    const place: Place | undefined = PLACES[(index + (stream ? 2 : 0)) % PLACES.length];
    const { status, text } = await bed.ask({ ...body, model: place?.model, stream });
    const found = status === 200 ? judged(text, stream).problems : refusalProblems(status, text);
    return found.map((problem) => `${about} over ${place?.over}${stream ? ', streamed' : ''}: ${problem}`);
  });
  return (await Promise.all(problems)).flat();
}

/** What cannot be carried, or is not there. */
function refusalProblems(status: number, text: string): readonly string[] {
  const error = parseJson(text);
  const { param, message } = asObject(asObject(error).error);
  const isNamed = (status === 400 || status === 404) && typeof param === 'string';
  return isNamed ? judgeError(FORMAT, error) : [`${status} ${String(message ?? text).slice(0, 300)}`];
}
