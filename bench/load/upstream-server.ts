// The mock upstream: OpenAI chat completions over raw sockets, so that the side that is not measured costs little. Also takes exports of
// telemetry (`POST /otlp/{target}/v1/{signal}`). Prints its port as the first line.
import { MessageParser, Outbox } from './http-messages.ts';
import {
  completionAnswer,
  exportAnswer,
  jsonAnswer,
  type PacedGapMs,
  pacedGapOf,
  pacedGapsMs,
  streamFrames,
  streamHead,
} from './mock-answers.ts';

const completion = completionAnswer();
const framesWithUsage = streamFrames(true);
const framesWithoutUsage = streamFrames(false);

interface Client {
  readonly outbox: Outbox;
  readonly parser: MessageParser;
  open: boolean;
}

interface OpenStream {
  readonly client: Client;
  readonly frames: readonly Buffer[];
  next: number;
}

/** Exports by target and signal, such as `gateway-telemetry traces`. */
const exports: Record<string, { count: number; bytes: number }> = {};
const statistics = { requests: 0, openStreams: 0, peakOpenStreams: 0, exports };
const exported = exportAnswer();

const tickMs = 2;

/** Sends every stream its next chunk once per gap, spread over the ticks of the gap, with one timer for all of them. */
class Pacer {
  private readonly lists: Set<OpenStream>[];
  private current = 0;

  constructor(gapMs: number) {
    this.lists = Array.from({ length: gapMs / tickMs }, () => new Set<OpenStream>());
    const startMs = performance.now();
    let ticks = 0;
    setInterval(() => {
      // A late timer catches up, so that the gap stays accurate under load.
      const dueTicks = Math.floor((performance.now() - startMs) / tickMs);
      for (; ticks < dueTicks; ticks += 1) this.tick();
    }, tickMs);
  }

  add(stream: OpenStream): void {
    this.lists[this.current]?.add(stream);
  }

  private tick(): void {
    this.current = (this.current + 1) % this.lists.length;
    const due = this.lists[this.current];
    for (const stream of due ?? []) if (!sendNext(stream)) due?.delete(stream);
  }
}

const pacers = new Map<PacedGapMs, Pacer>(pacedGapsMs.map((gapMs) => [gapMs, new Pacer(gapMs)]));

/** Sends one chunk; returns false when the stream has ended, successfully or not. */
function sendNext(stream: OpenStream): boolean {
  const frame = stream.frames[stream.next];
  if (stream.client.open && frame !== undefined) stream.client.outbox.send(frame);
  stream.next += 1;
  if (stream.client.open && stream.next < stream.frames.length) return true;
  statistics.openStreams -= 1;
  return false;
}

function sendAllUnpaced(stream: OpenStream): void {
  if (sendNext(stream)) setImmediate(sendAllUnpaced, stream);
}

interface ChatRequest {
  model?: string;
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
}

function answer(client: Client, startLine: string, body: Buffer): void {
  if (startLine.startsWith('GET ')) {
    client.outbox.send(jsonAnswer(statistics));
    return;
  }
  const [, target, signal] = /^POST \/otlp\/([\w-]+)\/v1\/(\w+)/.exec(startLine) ?? [];
  if (target !== undefined && signal !== undefined) {
    const name = `${target} ${signal}`;
    const { count, bytes } = exports[name] ?? { count: 0, bytes: 0 };
    exports[name] = { count: count + 1, bytes: bytes + body.length };
    client.outbox.send(exported);
    return;
  }
  statistics.requests += 1;
  const request = JSON.parse(body.toString()) as ChatRequest; // Written by our own load generator.
  if (request.stream !== true) {
    client.outbox.send(completion);
    return;
  }
  const frames = request.stream_options?.include_usage === true ? framesWithUsage : framesWithoutUsage;
  statistics.openStreams += 1;
  statistics.peakOpenStreams = Math.max(statistics.peakOpenStreams, statistics.openStreams);
  client.outbox.send(streamHead);
  const stream = { client, frames, next: 0 };
  const gapMs = pacedGapOf(request.model ?? '');
  if (gapMs === undefined) setImmediate(sendAllUnpaced, stream);
  else pacers.get(gapMs)?.add(stream);
}

function newClient(outbox: Outbox): Client {
  let startLine = '';
  let parts: Buffer[] = [];
  const parser = new MessageParser('request', {
    onHead(head) {
      startLine = head.startLine;
      parts = [];
    },
    onBody(fragment) {
      parts.push(Buffer.from(fragment));
    },
    onEnd() {
      answer(client, startLine, Buffer.concat(parts));
    },
  });
  const client: Client = { outbox, parser, open: true };
  return client;
}

const server = Bun.listen<Client>({
  hostname: '127.0.0.1',
  port: 0,
  socket: {
    open(socket) {
      socket.setNoDelay(true);
      socket.data = newClient(new Outbox(socket));
    },
    data(socket, bytes) {
      socket.data.parser.push(bytes);
    },
    drain(socket) {
      socket.data.outbox.drain();
    },
    close(socket) {
      socket.data.open = false;
    },
    error(_socket, error) {
      console.error(`mock upstream: ${error.message}`);
    },
  },
});
console.log(server.port);
