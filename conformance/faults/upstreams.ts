import { type MatrixCase, matrixCases } from '../matrix/cases.ts';
import { isOperators } from '../matrix/failure-rules.ts';
import { KNOWN_DIFFERENCES } from '../matrix/known-differences.ts';
import { DRIVERS, type Driver, type Form } from '../matrix/sdks/index.ts';
import { type ClientFormat, serverSentEvents } from '../readers/index.ts';
import type { RecordingRow } from '../shared/recordings.ts';

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

/** The exchanges by which upstreams answer in the tests of faults. */
export class Answers {
  /** Where they lie. */
  readonly folders: readonly string[];
  private readonly cases: readonly MatrixCase[];
  private readonly usual = new Map<string, readonly MatrixCase[]>();

  constructor(exchanges: readonly RecordingRow[]) {
    this.folders = [...new Set(exchanges.map(({ folder }) => folder))];
    this.cases = matrixCases(exchanges).cases;
  }

  /** An answer of the format's own provider that no client format has to change; a larger index begins again at the first. */
  of(format: ClientFormat, form: Form, index: number): MatrixCase {
    return nth(this.usualOf(format, form), index, `usual answer for ${format} ${form}`);
  }

  /** One whose text has begun before its middle: of a tool call some formats say nothing until it is complete. */
  talkative(format: ClientFormat, form: Form, index: number): MatrixCase {
    const talkative = this.usualOf(format, form).filter(({ expected, recording }) => {
      const [{ text, reasoning } = { text: '', reasoning: '' }] = expected?.candidates ?? [];
      if (reasoning !== '') return false;
      // The middle of a whole answer is nowhere in its text.
      if (form === 'whole') return text !== '';
      return text.length >= FEWEST_TEXT_CHARS && serverSentEvents(recording.responseBody).length <= MOST_EVENTS;
    });
    return nth(talkative, index, `text for ${format} ${form}`);
  }

  /** A 400 that its client has to mend itself: Google's own are those of Vertex. */
  mistakesOf(format: ClientFormat): readonly MatrixCase[] {
    return this.cases.filter(
      ({ upstream, outcome, recording: { provider, status, responseBody } }) =>
        upstream.format === format &&
        outcome === 'refused' &&
        status === 400 &&
        [...RECORDED_PROVIDERS, 'vertex'].includes(provider) &&
        !isOperators(status, responseBody),
    );
  }

  /** A failure, by a part of its file's path. */
  failure(file: string): MatrixCase {
    const found = this.cases.filter(({ recording, outcome }) => outcome !== 'answer' && recording.file.includes(file));
    return nth(found, 0, `failure ${file}`);
  }

  private usualOf(format: ClientFormat, form: Form): readonly MatrixCase[] {
    const key = `${format} ${form}`;
    const known = this.usual.get(key);
    if (known !== undefined) return known;
    const found = this.cases.filter((one) => one.upstream.format === format && one.form === form && isUsual(one));
    this.usual.set(key, found);
    return found;
  }
}

function nth(all: readonly MatrixCase[], index: number, what: string): MatrixCase {
  const one = all[index % all.length];
  if (one === undefined) throw new Error(`there is no ${what} among the exchanges`);
  return one;
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
