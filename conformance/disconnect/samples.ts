import type { ClientFormat } from '../readers/index.ts';
import { ownExchanges, type Recording, type RecordingRow, readRecording } from '../shared/recordings.ts';

interface Vendor {
  readonly provider: string;
  readonly api: string;
}

/** The provider of the exchanges in each format. */
const VENDORS: Readonly<Record<ClientFormat, Vendor>> = {
  'openai-chat': { provider: 'openai', api: 'chat' },
  'openai-responses': { provider: 'openai', api: 'responses' },
  'anthropic-messages': { provider: 'anthropic', api: 'messages' },
  gemini: { provider: 'gemini', api: 'generateContent' },
};

/** Long enough to be interrupted in the middle, short enough to read to the end. */
const EVENTS = { least: 25, most: 60 };

/** The mark of a text delta, which every format can translate. */
const PLAIN_TEXT: Readonly<Record<ClientFormat, string>> = {
  'openai-chat': '"delta":{"content":"',
  'openai-responses': 'response.output_text.delta',
  'anthropic-messages': '"text_delta"',
  gemini: '"text":',
};

export function streamSample(format: ClientFormat, among = ownExchanges()): Recording {
  return sample(format, among, ({ stream, contentType, responseBody }) => {
    const events = responseBody.split(/\r?\n\r?\n/).length;
    const isPlain = !/tool_use|"tool_calls"|"function_call"|functionCall/.test(responseBody);
    const isPaced = events >= EVENTS.least && events <= EVENTS.most;
    return (
      stream && isPaced && isPlain && hasText(format, responseBody) && contentType?.includes('event-stream') === true
    );
  });
}

export function wholeSample(format: ClientFormat, among = ownExchanges()): Recording {
  return sample(format, among, ({ stream, responseBody }) => !stream && /"(usage|usageMetadata)"/.test(responseBody));
}

function hasText(format: ClientFormat, body: string): boolean {
  return body.replaceAll(' ', '').includes(PLAIN_TEXT[format].replaceAll(' ', ''));
}

function sample(
  format: ClientFormat,
  among: readonly RecordingRow[],
  isWanted: (recording: Recording) => boolean,
): Recording {
  const { provider, api } = VENDORS[format];
  for (const row of among) {
    if (row.provider !== provider || row.api !== api || row.status !== 200) continue;
    const recording = readRecording(row);
    if (isWanted(recording)) return recording;
  }
  throw new Error(`there is no such exchange of ${provider}/${api}`);
}
