import { type MatrixCase, matrixCases } from '../matrix/cases.ts';
import { isOperators } from '../matrix/failure-rules.ts';
import { KNOWN_DIFFERENCES } from '../matrix/known-differences.ts';
import { DRIVERS, type Driver, type Form } from '../matrix/sdks/index.ts';
import { type ClientFormat, serverSentEvents } from '../readers/index.ts';
import type { RecordingRow } from '../shared/recordings.ts';

/** The provider that defined the format, for which its official SDK is made. */
export const PROVIDER_OF_FORMAT: Readonly<Record<ClientFormat, string>> = {
  'openai-chat': 'openai',
  'openai-responses': 'openai',
  'anthropic-messages': 'anthropic',
  gemini: 'google',
};

/** The names of these providers in the recordings. */
const RECORDED_PROVIDERS: readonly string[] = ['openai', 'anthropic', 'gemini'];

export const FORMATS = DRIVERS.map(({ format }) => format);
export const FORMS: readonly Form[] = ['whole', 'stream'];

export function driverOf(format: ClientFormat): Driver {
  const driver = DRIVERS.find((one) => one.format === format);
  if (driver === undefined) throw new Error(`there is no SDK for ${format}`);
  return driver;
}

/** The formats of a model's two channels, the failing and the healthy one. */
export interface Lane {
  readonly name: string;
  readonly bad: ClientFormat;
  readonly good: ClientFormat;
}

/** Each client's own format on both sides, and one combination that the gateway must translate. */
export const LANES: Readonly<Record<ClientFormat, readonly [Lane, Lane]>> = {
  'openai-chat': [relayed('openai-chat'), translated('anthropic-messages', 'anthropic-messages')],
  'openai-responses': [relayed('openai-responses'), translated('gemini', 'openai-chat')],
  'anthropic-messages': [relayed('anthropic-messages'), translated('openai-responses', 'openai-responses')],
  // Google's SDK requests reasoning, which only a channel of its own format can promise, so that channel would come first.
  gemini: [relayed('gemini'), translated('openai-chat', 'openai-chat')],
};

function relayed(format: ClientFormat): Lane {
  return { name: 'relayed', bad: format, good: format };
}

function translated(bad: ClientFormat, good: ClientFormat): Lane {
  return { name: `${bad} then ${good}`, bad, good };
}

/** A shorter stream has no middle in which it could fail. */
const FEWEST_EVENTS = 8;
/** The replay server pauses between events, so longer streams are too slow. */
const MOST_EVENTS = 60;
const FEWEST_TEXT_CHARS = 80;
const LONGEST_BODY_CHARS = 60_000;

/** The exchanges with which upstreams respond in the fault tests. */
export class Answers {
  /** The folders that contain them. */
  readonly folders: readonly string[];
  private readonly cases: readonly MatrixCase[];
  private readonly usual = new Map<string, readonly MatrixCase[]>();

  constructor(exchanges: readonly RecordingRow[]) {
    this.folders = [...new Set(exchanges.map(({ folder }) => folder))];
    this.cases = matrixCases(exchanges).cases;
  }

  /** Returns a response of the format's own provider that every client format can carry unchanged. Indexes wrap around. */
  of(format: ClientFormat, form: Form, index: number): MatrixCase {
    return nth(this.usualOf(format, form), index, `usual answer for ${format} ${form}`);
  }

  /** Returns one whose text begins before its middle: some formats send nothing of a tool call until it is complete. */
  talkative(format: ClientFormat, form: Form, index: number): MatrixCase {
    const talkative = this.usualOf(format, form).filter(({ expected, recording }) => {
      const [{ text, reasoning } = { text: '', reasoning: '' }] = expected?.candidates ?? [];
      if (reasoning !== '') return false;
      // A whole response is not cut within its text, so any length will do.
      if (form === 'whole') return text !== '';
      return text.length >= FEWEST_TEXT_CHARS && serverSentEvents(recording.responseBody).length <= MOST_EVENTS;
    });
    return nth(talkative, index, `text for ${format} ${form}`);
  }

  /** Returns the 400s that the client must fix. Google's were recorded at Vertex. */
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

  /** Returns a failure, by a part of its file's path. */
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
  // Without a content type no SDK can read the body.
  if (contentType === null || responseBody.length > LONGEST_BODY_CHARS) return false;
  // The matrix reads the text of an audio response from another place than the SDKs.
  if (responseBody.includes('"transcript"')) return false;
  if (KNOWN_DIFFERENCES.some((known) => known.file === file) || CHANGING_IDS.has(file)) return false;
  const [candidate, ...others] = expected.candidates;
  if (candidate === undefined || others.length > 0 || expected.usage === null) return false;
  if (candidate.finish !== 'stop' && candidate.finish !== 'tool-calls') return false;
  if (candidate.text === '' && candidate.toolCalls.length === 0) return false;
  return form === 'whole' || serverSentEvents(responseBody).length >= FEWEST_EVENTS;
}
