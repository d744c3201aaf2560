import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { asObject, parseJson } from '../shared/json.ts';
import { formatOfPath, type StreamFrames, WIRES, type WordAnswer } from './wire-answers.ts';

/** The behavior of an upstream model. */
export interface Behaviour extends WordAnswer {
  /** Milliseconds between the words of a stream. */
  readonly gapMs?: number;
  /**
   * Delays the first word of a stream after the events that precede it. This and the next two get the
   * request's body.
   */
  readonly afterHead?: (body: string) => Promise<unknown>;
  /** The number of words after which the stream's connection is cut. */
  readonly cutAfter?: number;
  /**
   * Awaited after each word of a stream, with the number of words so far; until then nothing more is sent or
   * cut.
   */
  readonly afterWord?: (words: number, body: string) => Promise<unknown> | undefined;
  /** Sends the whole stream except its last frame, then nothing until the client leaves. */
  readonly holdsLastFrame?: boolean;
  /** Sends the whole stream, and leaves the connection open until the gateway closes it. */
  readonly lingers?: boolean;
  /** The error status that is sent instead of a response. */
  readonly refuses?: number;
  /** Delays the response until the promise resolves. */
  readonly opens?: (body: string) => Promise<unknown>;
}

/** The record of one request. */
export interface Served {
  readonly model: string;
  /** The number of words that were sent. */
  words: number;
  /** Whether the complete response was sent. */
  isWhole: boolean;
  /** Whether the gateway cut the connection before the response was complete. */
  wasCut?: true;
}

/** A provider in all four formats that counts every token. */
export interface MeteredUpstream {
  readonly origin: string;
  /** In the order of arrival. */
  readonly served: readonly Served[];
  readonly forget: () => void;
  readonly stop: () => Promise<void>;
}

/** `behaviours` is keyed by the upstream's model ids. */
export async function startMeteredUpstream(behaviours: Readonly<Record<string, Behaviour>>): Promise<MeteredUpstream> {
  const served: Served[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = decodeURIComponent(request.url ?? '');
    const text = await textOf(request);
    const body = asObject(parseJson(text));
    const model = /models\/([^:]+):/.exec(path)?.[1] ?? String(body.model);
    const behaviour = behaviours[model];
    if (behaviour === undefined) return refuse(response, 404);
    const record: Served = { model, words: 0, isWhole: false };
    served.push(record);
    await behaviour.opens?.(text);
    if (behaviour.refuses !== undefined) return refuse(response, behaviour.refuses);
    const wire = WIRES[formatOfPath(path)];
    if (body.stream === true || path.includes(':streamGenerateContent')) {
      return stream(response, wire.stream(behaviour), behaviour, record, text);
    }
    record.words = behaviour.words;
    record.isWhole = true;
    json(response, 200, wire.whole(behaviour));
  };
  const server = createServer((request, response) => {
    // A killed gateway loses its connections.
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    answer(request, response).catch(() => response.destroy());
  });
  // A gateway that is slow must not send a request on a connection that is just being closed.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    origin: `http://127.0.0.1:${port}`,
    served,
    forget: () => {
      served.length = 0;
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function refuse(response: ServerResponse, status: number): void {
  json(response, status, { error: { message: 'The server had an error.' } });
}

async function stream(
  response: ServerResponse,
  { head, word, tail }: StreamFrames,
  { words, gapMs = 0, afterHead, cutAfter, afterWord, holdsLastFrame, lingers }: Behaviour,
  record: Served,
  body: string,
): Promise<void> {
  response.once('close', () => {
    if (!response.writableEnded) record.wasCut = true;
  });
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(head.join(''));
  await afterHead?.(body);
  while (record.words < Math.min(words, cutAfter ?? words)) {
    if (response.destroyed) return;
    record.words++;
    response.write(word);
    if (gapMs > 0) await Bun.sleep(gapMs);
    await afterWord?.(record.words, body);
  }
  if (cutAfter !== undefined) {
    response.destroy();
    return;
  }
  if (holdsLastFrame) {
    response.write(tail.slice(0, -1).join(''));
    return;
  }
  record.isWhole = true;
  if (lingers) response.write(tail.join(''));
  else response.end(tail.join(''));
}
