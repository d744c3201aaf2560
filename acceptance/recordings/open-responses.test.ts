import { describe, expect, test } from 'bun:test';
import { judgeAnswer, judgeError, judgeStream } from '../../conformance/judges/index.ts';
import { leafPairs } from '../../conformance/leaves/leaf-pairs.ts';
import { type LeafRequest, openResponsesRequests } from '../../conformance/leaves/leaf-requests.ts';
import { type AnswerJudge, judged, testAnsweredCases } from '../../conformance/open-responses/answered-cases.ts';
import { type OpenResponsesBed, PLACES, type Place } from '../../conformance/open-responses/bed.ts';
import { asObject, parseJson } from '../../conformance/shared/json.ts';

/*
 * Open Responses by its published document: the cases of its public suite and more, and requests for every leaf. Validates every response
 * and event against the document, and each stream against its own events.
 */

const FORMAT = 'openai-responses';
const AT_ONCE = 24;

const BY_DOCUMENT: AnswerJudge = {
  whole: (response) => judgeAnswer(FORMAT, response, 'translated'),
  stream: (events) => judgeStream(FORMAT, events, 'translated'),
};

describe('Open Responses, by its document', () => {
  const bedOf = testAnsweredCases(BY_DOCUMENT);

  test('requests for every leaf, alone and together, succeed with a valid response or are refused by name', async () => {
    const single = openResponsesRequests();
    expect(single.length).toBeGreaterThan(100);
    const requests = [...single, ...leafPairs(single, 1)];
    const problems: string[] = [];
    const queue = requests.entries();
    const work = async () => {
      for (const [index, request] of queue) problems.push(...(await problemsOf(bedOf(), request, index)));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    expect(problems).toEqual([]);
  }, 600_000);
});

/** Alternates whole and streamed responses over the places, so that all places see all kinds of leaves. */
async function problemsOf(
  bed: OpenResponsesBed,
  { about, body }: LeafRequest,
  index: number,
): Promise<readonly string[]> {
  const problems = [false, true].map(async (stream) => {
    const place: Place | undefined = PLACES[(index + (stream ? 2 : 0)) % PLACES.length];
    const { status, text } = await bed.ask({ ...body, model: place?.model, stream });
    const found = status === 200 ? judged(text, stream, BY_DOCUMENT).problems : refusalProblems(status, text);
    return found.map((problem) => `${about} over ${place?.over}${stream ? ', streamed' : ''}: ${problem}`);
  });
  return (await Promise.all(problems)).flat();
}

/** Returns the problems of a refusal. */
function refusalProblems(status: number, text: string): readonly string[] {
  const error = parseJson(text);
  const { param, message } = asObject(asObject(error).error);
  const isNamed = (status === 400 || status === 404) && typeof param === 'string';
  return isNamed ? judgeError(FORMAT, error) : [`${status} ${String(message ?? text).slice(0, 300)}`];
}
