import type { MatrixCase } from '../matrix/cases.ts';
import { readingDifferences } from '../matrix/compare.ts';
import { knownDifference } from '../matrix/known-differences.ts';
import type { MatrixBed } from '../matrix/matrix-run.ts';
import { type Driver, drive, type Outcome, type Reading } from '../matrix/sdks/index.ts';
import type { ExpectedAnswer } from '../readers/index.ts';
import { deepDifferences, describeDifferences } from '../shared/deep-difference.ts';
import { parseJson } from '../shared/json.ts';

/** The same SDK, whose requests say this to the cache. */
function saying(driver: Driver, control: string): Driver {
  return {
    ...driver,
    run: (call) => {
      const told = ((input: Parameters<typeof fetch>[0], init?: RequestInit) => {
        const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : {}));
        headers.set('x-switchyard-cache', control);
        return call.fetch(input, { ...init, headers });
      }) as typeof fetch;
      return driver.run({ ...call, fetch: told });
    },
  };
}

/** Whether the cache keeps such an answer: it has come to an end that is no refusal, and says something; `null` if that is not to be seen. */
function isKept(expected: ExpectedAnswer | null): boolean | null {
  if (expected === null) return false;
  const { candidates } = expected;
  if (candidates.some(({ finish, refusal }) => refusal !== '' || finish === 'content-filter' || finish === 'pause')) {
    return false;
  }
  // The reader knows no pictures and sounds, and not what old answers have in the place of a finish reason.
  const isSeen = candidates.every(
    ({ finish, text, toolCalls }) => finish !== 'other' && text + toolCalls.length !== '0',
  );
  return isSeen ? true : null;
}

/** What is wrong where an SDK asks for a recorded answer, which is kept, and then asks again. */
export async function replayedTwice(
  one: MatrixCase,
  driver: Driver,
  { places }: MatrixBed,
): Promise<readonly string[]> {
  const call = {
    target: { ...places.gateway, model: one.publicId },
    form: one.form,
    withTools: one.upstream.withoutTools !== true,
    dialect: '',
  };
  const first = await drive(saying(driver, 'no_cache'), call);
  if (isHit(first)) return ['a request for a fresh answer was given an earlier one'];
  const second = await drive(saying(driver, 'default'), call);
  const wanted = isKept(one.expected);
  if (isHit(second) && wanted === false) return ['an answer that is not to be kept was given again'];
  if (!isHit(second)) return wanted === true ? [`not given again: ${said(second)}`] : [];
  if (second.reading === null)
    return [`the SDK raised ${second.error?.name}: ${second.error?.message}: ${said(second)}`];
  if (wanted === null || one.recording.file === SHORTENED) return [];
  return [...differences(one, driver, second.reading, first.reading), ...otherBodies(one, driver, first, second)];
}

/** Its recorder has shortened the deltas of the stream, and not its end. */
const SHORTENED = 'openai/responses/201-openai-shell-container-1.json';

function isHit({ wire }: Outcome): boolean {
  return wire?.headers.has('x-cache-entry-id') === true;
}

function said({ wire }: Outcome): string {
  return `${wire?.status} ${wire?.body.slice(0, 300)}`;
}

/** What the SDK reads otherwise than the provider has said it, and has not read so before. */
function differences(one: MatrixCase, { format }: Driver, replayed: Reading, fresh: Reading | null): readonly string[] {
  const { expected } = one;
  if (expected === null) return ['there is nothing to compare with'];
  // Of some recordings the SDK cannot read what is relayed as it is.
  const before = fresh === null ? [] : readingDifferences(one, expected, format, 'translated', fresh);
  return readingDifferences(one, expected, format, 'translated', replayed).filter(
    (problem) => !before.includes(problem) && knownDifference(one.recording.file, format, problem) === undefined,
  );
}

/** A whole answer that was translated is written by the same code again: it is the same but for ids and times. */
function otherBodies(one: MatrixCase, { format }: Driver, fresh: Outcome, replayed: Outcome): readonly string[] {
  if (one.form === 'stream' || one.upstream.format === format) return [];
  const [before, after] = [fresh, replayed].map(({ wire }) =>
    parseJson((wire?.body ?? '').replace(MADE_ANEW, '"anew"')),
  );
  if (before === undefined) return ['the first answer is no JSON'];
  return describeDifferences(deepDifferences(before, after));
}

/** Ids, times, states under the gateway's own key, and what the gateway says of itself. */
const MADE_ANEW =
  /"(?:chatcmpl-|resp_|msg_|rs_|fc_|ctc_|ig_|ws_|gen-)[\w-]+"|(?<="(?:created|created_at|completed_at|expires_at)":)\d+|(?<="responseId":)"[^"]*"|(?<="createTime":)"[^"]*"|(?<="_routing":)\{.*?\}(?=\}$)/g;
