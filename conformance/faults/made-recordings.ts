import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type ClientFormat, serverSentEvents } from '../readers/index.ts';
import { recordingId } from '../shared/recordings.ts';
import { type Answers, FORMATS } from './upstreams.ts';

/* Failures that no recording has in every format, written as recordings with the messages that providers document. */

/**
 * `error-first`: a stream that begins with an error; `error-mid`: a recorded stream that breaks off with an error; `error-whole`: an error with
 * status 200; `empty-stream`, `empty-whole`: status 200 without a byte; `nothing-whole`, `detail-whole`, `list-whole`, `page-whole`,
 * `comments-stream`, `detail-stream`: status 200 without a response; `key-forbidden`: a 403 about the channel's key; `forbidden`: a 403 without
 * a reason, as a firewall in front of an API sends it; `no-quota`: OpenAI's 429 for an account without credit.
 */
export const MADE = [
  'error-first',
  'error-mid',
  'error-whole',
  'empty-stream',
  'empty-whole',
  'nothing-whole',
  'detail-whole',
  'list-whole',
  'page-whole',
  'comments-stream',
  'detail-stream',
  'key-forbidden',
  'forbidden',
  'no-quota',
] as const;
export type Made = (typeof MADE)[number];

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

export function madeId(format: ClientFormat, made: Made): string {
  return recordingId(fileOf(format, made));
}

/** Writes them below the folder, with the index for the replay server. */
export async function writeMadeRecordings(folder: string, answers: Answers): Promise<void> {
  await mkdir(path.join(folder, 'made'), { recursive: true });
  const rows: string[] = [];
  for (const format of FORMATS) {
    for (const made of MADE) {
      const { status, contentType, body } = answerFor(answers, format, made);
      const file = fileOf(format, made);
      const response = { status, headers: { 'content-type': contentType }, body };
      await writeFile(path.join(folder, file), JSON.stringify({ request: null, response }));
      rows.push(JSON.stringify({ file, provider: 'made', api: format, status, stream: contentType === EVENTS }));
    }
  }
  await writeFile(path.join(folder, 'index.jsonl'), `${rows.join('\n')}\n`);
}

function fileOf(format: ClientFormat, made: Made): string {
  return `made/${format}-${made}.json`;
}

const JSON_TYPE = 'application/json';
const EVENTS = 'text/event-stream';

/** The 404 body of common web frameworks. */
const DETAIL = { detail: 'Not Found' };

function answerFor(answers: Answers, format: ClientFormat, made: Made): Answer {
  switch (made) {
    case 'error-first':
      return { status: 200, contentType: EVENTS, body: errorEvent(format) };
    case 'error-mid':
      return { status: 200, contentType: EVENTS, body: firstHalf(answers, format) + errorEvent(format) };
    case 'error-whole':
      return { status: 200, contentType: JSON_TYPE, body: JSON.stringify(ERRORS[format]) };
    case 'empty-stream':
      return { status: 200, contentType: EVENTS, body: '' };
    case 'empty-whole':
      return { status: 200, contentType: JSON_TYPE, body: '' };
    case 'nothing-whole':
      return { status: 200, contentType: JSON_TYPE, body: '{}' };
    case 'detail-whole':
      return { status: 200, contentType: JSON_TYPE, body: JSON.stringify(DETAIL) };
    case 'list-whole':
      return { status: 200, contentType: JSON_TYPE, body: '[]' };
    case 'page-whole':
      return { status: 200, contentType: 'text/html', body: '<!doctype html><title>Welcome</title><h1>It works!</h1>' };
    case 'comments-stream':
      return { status: 200, contentType: EVENTS, body: ': keep-alive\n\n'.repeat(3) };
    case 'detail-stream':
      return { status: 200, contentType: EVENTS, body: `data: ${JSON.stringify(DETAIL)}\n\n` };
    case 'key-forbidden':
      return { status: 403, contentType: JSON_TYPE, body: JSON.stringify(KEY_FORBIDDEN[format]) };
    case 'no-quota':
      return { status: 429, contentType: JSON_TYPE, body: JSON.stringify(NO_QUOTA) };
    case 'forbidden':
      return { status: 403, contentType: JSON_TYPE, body: JSON.stringify({ message: 'Forbidden' }) };
  }
}

/** In each provider's own envelope. */
const ERRORS: Readonly<Record<ClientFormat, object>> = {
  'openai-chat': openAiError('The server had an error while processing your request. Sorry about that!'),
  'openai-responses': openAiError('The server had an error while processing your request. Sorry about that!'),
  'anthropic-messages': { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
  gemini: googleError(503, 'The model is overloaded. Please try again later.', 'UNAVAILABLE'),
};

const KEY_FORBIDDEN: Readonly<Record<ClientFormat, object>> = {
  'openai-chat': openAiError('Your API key is not allowed to use this resource.', 'invalid_request_error'),
  'openai-responses': openAiError('Your API key is not allowed to use this resource.', 'invalid_request_error'),
  'anthropic-messages': {
    type: 'error',
    error: {
      type: 'permission_error',
      message: 'Your API key does not have permission to use the specified resource.',
    },
  },
  gemini: googleError(403, "Your API key doesn't have the required permissions.", 'PERMISSION_DENIED'),
};

const NO_QUOTA = openAiError('You have used all your credit.', 'insufficient_quota', 'insufficient_quota');

function openAiError(message: string, type = 'server_error', code: string | null = null): object {
  return { error: { message, type, param: null, code } };
}

function googleError(code: number, message: string, status: string): object {
  return { error: { code, message, status } };
}

function errorEvent(format: ClientFormat): string {
  const error = ERRORS[format];
  if (format === 'anthropic-messages') return `event: error\ndata: ${JSON.stringify(error)}\n\n`;
  if (format !== 'openai-responses') return `data: ${JSON.stringify(error)}\n\n`;
  return `event: error\ndata: ${JSON.stringify({ type: 'error', sequence_number: 1, ...error })}\n\n`;
}

function firstHalf(answers: Answers, format: ClientFormat): string {
  const events = serverSentEvents(answers.talkative(format, 'stream', 0).recording.responseBody);
  return events
    .slice(0, Math.ceil(events.length / 2))
    .map(({ event, data }) => `${event === null ? '' : `event: ${event}\n`}data: ${data}\n\n`)
    .join('');
}
