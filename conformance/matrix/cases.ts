import { type ApiKind, type ExpectedAnswer, failureInside, readableApi, readRecordedAnswer } from '../readers/index.ts';
import { asArray, asObject, parseJson } from '../shared/json.ts';
import { ownExchanges, type Recording, type RecordingRow, readRecording } from '../shared/recordings.ts';
import { type Upstream, upstreamOf } from './channels.ts';
import type { Form } from './sdks/index.ts';

/** One recorded exchange as the upstream's side of a cell of the matrix. */
export interface MatrixCase {
  readonly recording: Recording;
  readonly kind: ApiKind;
  readonly upstream: Upstream;
  /** The public model id. It shares nothing with the upstream's id, so that relayed bytes cannot reveal it. */
  readonly publicId: string;
  readonly upstreamId: string;
  /** The form that the client requests. */
  readonly form: Form;
  /**
   * The form of the recorded response: an upstream that cannot stream sends a whole response to a request for a stream.
   */
  readonly recordedForm: Form;
  /**
   * `answer`: a complete response, described by `expected`. `refused`: the upstream responds with an error. `broken`:
   * the response begins with status 200, but fails or ends early.
   */
  readonly outcome: 'answer' | 'refused' | 'broken';
  readonly expected: ExpectedAnswer | null;
}

export interface Skipped {
  readonly file: string;
  readonly reason: string;
}

/** Recordings that no upstream would send to the gateway. */
const NOT_REPLAYABLE: Readonly<Record<string, string>> = {
  'gemini/generateContent/122-testgoogleaigeneratecontentwithsystemmessage.json':
    'a stream as a JSON array, which Gemini sends only without `alt=sse`; the gateway always asks for `alt=sse`',
  'gemini/generateContent/124-testgoogleaitoolcallresponse.json':
    'a stream as a JSON array, which Gemini sends only without `alt=sse`; the gateway always asks for `alt=sse`',
};

export interface MatrixCases {
  readonly cases: readonly MatrixCase[];
  readonly skipped: readonly Skipped[];
}

/** Returns the text exchanges in order; those that cannot be used are listed with the reason. */
export function matrixCases(exchanges: readonly RecordingRow[] = ownExchanges()): MatrixCases {
  const cases: MatrixCase[] = [];
  const skipped: Skipped[] = [];
  const counts = new Map<string, number>();
  for (const row of exchanges) {
    const api = readableApi(row);
    if (api === undefined) continue;
    const recording = readRecording(row);
    const found = caseOf(recording, kindOf(recording, api.kind), api.stream, (name) => {
      const number = (counts.get(name) ?? 0) + 1;
      counts.set(name, number);
      return `${name}-${String(number).padStart(3, '0')}`;
    });
    if ('reason' in found) skipped.push(found);
    else cases.push(found);
  }
  return { cases, skipped };
}

/**
 * Returns the same exchange for a client that requests a stream from an upstream that does not stream, which its
 * content type shows. Bedrock is excluded, because it has a separate operation for streams.
 */
export function streamedCase(one: MatrixCase): MatrixCase | null {
  const { provider, contentType } = one.recording;
  const isWhole = one.outcome === 'answer' && one.form === 'whole';
  const isTold = provider !== 'bedrock' && (contentType ?? '').startsWith('application/json');
  return isWhole && isTold ? { ...one, form: 'stream' } : null;
}

function caseOf(
  recording: Recording,
  kind: ApiKind,
  streamWire: string,
  numbered: (name: string) => string,
): MatrixCase | Skipped {
  const { file, provider, api, id } = recording;
  const expected = withTranscript(recording, readRecordedAnswer(recording));
  const reason = NOT_REPLAYABLE[file] ?? notOneText(recording, expected);
  if (reason !== undefined) return { file, reason };
  const upstream = upstreamOf(recording, kind);
  const isFramed = recording.status === 200 && streamWire !== 'events' && streamWire !== 'json';
  const form: Form = recording.stream || isFramed ? 'stream' : 'whole';
  const outcome = outcomeOf(recording, form, expected);
  return {
    recording,
    kind,
    upstream,
    publicId: numbered(`public-${provider}-${api.toLowerCase()}`),
    upstreamId: `${upstream.modelPrefix ?? ''}${id}`,
    form,
    recordedForm: form,
    outcome,
    expected: outcome === 'answer' ? expected : null,
  };
}

/**
 * Azure's deployments of other vendors' models send chat completions, which are filed under `responses`
 * (azure/responses/026).
 */
function kindOf({ responseBody }: Recording, filed: ApiKind): ApiKind {
  return filed === 'responses' && Array.isArray(asObject(parseJson(responseBody)).choices) ? 'chat' : filed;
}

/** An audio response has its text beside the audio (openai/chat/163); without audio, the text is the response. */
function withTranscript({ responseBody }: Recording, answer: ExpectedAnswer | null): ExpectedAnswer | null {
  if (answer === null || !responseBody.includes('"transcript"')) return answer;
  const choices = asArray(asObject(parseJson(responseBody)).choices).map(asObject);
  const candidates = answer.candidates.map((one, index) => {
    const { transcript } = asObject(asObject(choices[index]?.message).audio);
    return one.text === '' && typeof transcript === 'string' ? { ...one, text: transcript } : one;
  });
  return { ...answer, candidates };
}

function notOneText(recording: Recording, expected: ExpectedAnswer | null): string | undefined {
  const { provider, api, status, responseBody } = recording;
  if (status !== 200) return undefined;
  const starts = responseBody.match(/^data: ?\{"type": ?"(?:message_start|response\.created)"/gm) ?? [];
  if (starts.length > 1) return 'the streams of several requests in one recording';
  if (expected !== null) return undefined;
  return provider === 'bedrock' && api.startsWith('invoke')
    ? '`invoke` with a model other than Claude: every family has its own format, and the gateway uses Converse for them'
    : 'filed under a text API, but the body belongs to another one (such as transcription or OCR)';
}

function outcomeOf(recording: Recording, form: Form, expected: ExpectedAnswer | null): MatrixCase['outcome'] {
  if (recording.status >= 400) return 'refused';
  if (failureInside(recording) !== null || saysError(expected)) return 'broken';
  const unfinished = expected?.candidates.every(({ rawFinish }) => rawFinish === null) ?? true;
  return form === 'stream' && unfinished ? 'broken' : 'answer';
}

/** Cohere reports a failure within a response as its finish reason (cohere/chat/061). */
function saysError(answer: ExpectedAnswer | null): boolean {
  return answer?.candidates.some(({ rawFinish }) => rawFinish === 'ERROR') ?? false;
}
