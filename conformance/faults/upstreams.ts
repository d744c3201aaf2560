import { type MatrixCase, matrixCases } from '../matrix/cases.ts';
import { isOperators } from '../matrix/failure-rules.ts';
import { KNOWN_DIFFERENCES } from '../matrix/known-differences.ts';
import { DRIVERS, type Driver, type Form } from '../matrix/sdks/index.ts';
import { type ClientFormat, serverSentEvents } from '../readers/index.ts';

/** The provider whose own format it is: the one that its official SDK is made for. */
export const PROVIDER_OF_FORMAT: Readonly<Record<ClientFormat, string>> = {
  'openai-chat': 'openai',
  'openai-responses': 'openai',
  'anthropic-messages': 'anthropic',
  gemini: 'google',
};

/** The names under which the recordings file these providers. */
const RECORDED_PROVIDERS: readonly string[] = ['openai', 'anthropic', 'gemini'];

export const FORMATS = DRIVERS.map(({ format }) => format);
export const FORMS: readonly Form[] = ['whole', 'stream'];

export function driverOf(format: ClientFormat): Driver {
  const driver = DRIVERS.find((one) => one.format === format);
  if (driver === undefined) throw new Error(`there is no SDK for ${format}`);
  return driver;
}

/** The two channels of one model, the failing and the healthy one, by the formats that they speak. */
export interface Lane {
  readonly name: string;
  readonly bad: ClientFormat;
  readonly good: ClientFormat;
}

/** Each client's own format on both sides, and one combination in which the gateway has to translate. */
export const LANES: Readonly<Record<ClientFormat, readonly [Lane, Lane]>> = {
  'openai-chat': [relayed('openai-chat'), translated('anthropic-messages', 'anthropic-messages')],
  'openai-responses': [relayed('openai-responses'), translated('gemini', 'openai-chat')],
  'anthropic-messages': [relayed('anthropic-messages'), translated('openai-responses', 'openai-responses')],
  // Its SDK asks for thoughts, which a channel of its own format alone can promise, so that it would come first.
  gemini: [relayed('gemini'), translated('openai-chat', 'openai-chat')],
};

function relayed(format: ClientFormat): Lane {
  return { name: 'relayed', bad: format, good: format };
}

function translated(bad: ClientFormat, good: ClientFormat): Lane {
  return { name: `${bad} then ${good}`, bad, good };
}

/** A stream with fewer events has no middle in which it could fail. */
const FEWEST_EVENTS = 8;
/** Between its events the replay server makes a pause. */
const MOST_EVENTS = 60;
const FEWEST_TEXT_CHARS = 80;
const LONGEST_BODY_CHARS = 60_000;

const chosen = new Map<string, readonly MatrixCase[]>();

/** Recorded answers of the format's own provider that no client format has to change: one candidate that ends as usual. */
export function answersOf(format: ClientFormat, form: Form): readonly MatrixCase[] {
  const key = `${format} ${form}`;
  const known = chosen.get(key);
  if (known !== undefined) return known;
  const found = allCases().filter((one) => one.upstream.format === format && one.form === form && isUsual(one));
  if (found.length < 5) throw new Error(`there are ${found.length} recorded answers for ${key}`);
  chosen.set(key, found);
  return found;
}

/** One of them; a larger index begins again at the first. */
export function answerOf(format: ClientFormat, form: Form, index: number): MatrixCase {
  const all = answersOf(format, form);
  const one = all[index % all.length];
  if (one === undefined) throw new Error('there is no recorded answer');
  return one;
}

let cases: readonly MatrixCase[] | null = null;
function allCases(): readonly MatrixCase[] {
  cases ??= matrixCases().cases;
  return cases;
}

/** One whose text has begun before its middle: of a tool call some formats say nothing until it is complete. */
export function talkativeAnswerOf(format: ClientFormat, form: Form, index: number): MatrixCase {
  const talkative = answersOf(format, form).filter(({ expected, recording }) => {
    const [{ text, reasoning } = { text: '', reasoning: '' }] = expected?.candidates ?? [];
    const isQuick = form === 'whole' || serverSentEvents(recording.responseBody).length <= MOST_EVENTS;
    return text.length >= FEWEST_TEXT_CHARS && reasoning === '' && isQuick;
  });
  const one = talkative[index % talkative.length];
  if (one === undefined) throw new Error(`there is no recorded text for ${format} ${form}`);
  return one;
}

/** A 400 that its client has to mend itself: Google's own are those of Vertex. */
export function clientsMistakesOf(format: ClientFormat): readonly MatrixCase[] {
  return allCases().filter(
    ({ upstream, outcome, recording: { provider, status, responseBody } }) =>
      upstream.format === format &&
      outcome === 'refused' &&
      status === 400 &&
      [...RECORDED_PROVIDERS, 'vertex'].includes(provider) &&
      !isOperators(status, responseBody),
  );
}

/** A recorded failure, by a part of its file's path. */
export function recordedFailure(file: string): MatrixCase {
  const found = allCases().find(({ recording, outcome }) => outcome !== 'answer' && recording.file.includes(file));
  if (found === undefined) throw new Error(`there is no recorded failure ${file}`);
  return found;
}

/** The recorder gave the response another id in each event, which the SDK refuses. */
const CHANGING_IDS: ReadonlySet<string> = new Set(['openai/responses/179-github-copilot-id-rotation-1.json']);

function isUsual({ recording, outcome, expected, form }: MatrixCase): boolean {
  const { provider, responseBody, contentType, file } = recording;
  if (!RECORDED_PROVIDERS.includes(provider) || outcome !== 'answer' || expected === null) return false;
  // Without its content type no SDK knows what it reads.
  if (contentType === null || responseBody.length > LONGEST_BODY_CHARS) return false;
  // The matrix reads the text beside a sound from another place than an SDK does.
  if (responseBody.includes('"transcript"')) return false;
  if (KNOWN_DIFFERENCES.some((known) => known.file === file) || CHANGING_IDS.has(file)) return false;
  const [candidate, ...others] = expected.candidates;
  if (candidate === undefined || others.length > 0 || expected.usage === null) return false;
  if (candidate.finish !== 'stop' && candidate.finish !== 'tool-calls') return false;
  if (candidate.text === '' && candidate.toolCalls.length === 0) return false;
  return form === 'whole' || serverSentEvents(responseBody).length >= FEWEST_EVENTS;
}
