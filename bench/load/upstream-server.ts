// The mock upstream: OpenAI chat completions over raw sockets, so that the side which is not measured costs little.
// Environment: GAP_MS is the pause between the chunks of a paced stream. Prints its port as the first line.
import { MessageParser, Outbox } from './http-messages.ts';
import { completionAnswer, jsonAnswer, pacedEnding, streamFrames, streamHead } from './mock-answers.ts';

const tickMs = 10;
const gapTicks = Math.max(1, Math.round(Number(process.env.GAP_MS ?? 200) / tickMs));

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

const statistics = { requests: 0, openStreams: 0, peakOpenStreams: 0 };

/** One list a tick of the gap: a stream gets its next chunk whenever its list's turn comes, with one timer for all of them. */
const pacedLists: Set<OpenStream>[] = Array.from({ length: gapTicks }, () => new Set<OpenStream>());
let currentTick = 0;
setInterval(() => {
  currentTick = (currentTick + 1) % gapTicks;
  const due = pacedLists[currentTick];
  for (const stream of due ?? []) if (!sendNext(stream)) due?.delete(stream);
}, tickMs);

/** Sends one chunk; false when the stream has ended, well or badly. */
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
  statistics.requests += 1;
  const request = JSON.parse(body.toString()) as ChatRequest; // Our own load generator wrote it.
  if (request.stream !== true) {
    client.outbox.send(completion);
    return;
  }
  const frames = request.stream_options?.include_usage === true ? framesWithUsage : framesWithoutUsage;
  statistics.openStreams += 1;
  statistics.peakOpenStreams = Math.max(statistics.peakOpenStreams, statistics.openStreams);
  client.outbox.send(streamHead);
  const stream = { client, frames, next: 0 };
  if (request.model?.endsWith(pacedEnding) === true) pacedLists[currentTick]?.add(stream);
  else setImmediate(sendAllUnpaced, stream);
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
