import type { MatrixCase } from '../matrix/cases.ts';
import { readingDifferences } from '../matrix/compare.ts';
import { knownDifference } from '../matrix/known-differences.ts';
import type { MatrixBed } from '../matrix/matrix-run.ts';
import { type Driver, drive, type Outcome, type Reading } from '../matrix/sdks/index.ts';
import type { ExpectedAnswer } from '../readers/index.ts';
import { deepDifferences, describeDifferences } from '../shared/deep-difference.ts';
import { parseJson } from '../shared/json.ts';

/** Returns the same SDK, whose requests send this cache control. */
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

/** Returns whether the cache stores such a response: a complete one with content other than a refusal; `null` if the reading does not show it. */
function isKept(expected: ExpectedAnswer | null): boolean | null {
  if (expected === null) return false;
  const { candidates } = expected;
  if (candidates.some(({ finish, refusal }) => refusal !== '' || finish === 'content-filter' || finish === 'pause')) {
    return false;
  }
  // The reader ignores pictures and sounds, and the older replacements for a finish reason.
  const isSeen = candidates.every(
    ({ finish, text, toolCalls }) => finish !== 'other' && text + toolCalls.length !== '0',
  );
  return isSeen ? true : null;
}

/** Resolves to the problems when an SDK requests a recorded response, which is stored, and then requests it again. */
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
  if (isHit(first)) return ['a request for a fresh response got a cached one'];
  const second = await drive(saying(driver, 'default'), call);
  const wanted = isKept(one.expected);
  if (isHit(second) && wanted === false) return ['a response that must not be cached was replayed'];
  if (!isHit(second)) return wanted === true ? [`not replayed: ${said(second)}`] : [];
  if (second.reading === null)
    return [`the SDK raised ${second.error?.name}: ${second.error?.message}: ${said(second)}`];
  if (wanted === null || one.recording.file === SHORTENED) return [];
  return [...differences(one, driver, second.reading, first.reading), ...otherBodies(one, driver, first, second)];
}

/** The recorder shortened the deltas of the stream but not its end. */
const SHORTENED = 'openai/responses/201-openai-shell-container-1.json';

function isHit({ wire }: Outcome): boolean {
  return wire?.headers.has('x-cache-entry-id') === true;
}

function said({ wire }: Outcome): string {
  return `${wire?.status} ${wire?.body.slice(0, 300)}`;
}

/** Returns what the SDK reads differently from the provider's response, except for what it read differently the first time. */
function differences(one: MatrixCase, { format }: Driver, replayed: Reading, fresh: Reading | null): readonly string[] {
  const { expected } = one;
  if (expected === null) return ['there is nothing to compare with'];
  // Some recordings cannot be read by the SDK even if they are relayed unchanged.
  const before = fresh === null ? [] : readingDifferences(one, expected, format, 'translated', fresh);
  return readingDifferences(one, expected, format, 'translated', replayed).filter(
    (problem) => !before.includes(problem) && knownDifference(one.recording.file, format, problem) === undefined,
  );
}

/** A translated whole response is written by the same code again, so only ids and times may differ. */
function otherBodies(one: MatrixCase, { format }: Driver, fresh: Outcome, replayed: Outcome): readonly string[] {
  if (one.form === 'stream' || one.upstream.format === format) return [];
  const [before, after] = [fresh, replayed].map(({ wire }) =>
    parseJson((wire?.body ?? '').replace(MADE_ANEW, '"anew"')),
  );
  if (before === undefined) return ['the first response is not JSON'];
  return describeDifferences(deepDifferences(before, after));
}

/** Ids, times, states under the gateway's own key, and the gateway's own fields. */
const MADE_ANEW =
  /"(?:chatcmpl-|resp_|msg_|rs_|fc_|ctc_|ig_|ws_|gen-)[\w-]+"|(?<="(?:created|created_at|completed_at|expires_at)":)\d+|(?<="responseId":)"[^"]*"|(?<="createTime":)"[^"]*"|(?<="_routing":)\{.*?\}(?=\}$)/g;
