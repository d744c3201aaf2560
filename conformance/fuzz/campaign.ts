import type { TextTarget } from '../../src/engine/directory/target.ts';
import { clientFormats } from '../../src/formats/index.ts';
import { EventStreamToSse } from '../../src/formats/shared/stream/aws-event-stream.ts';
import type { DecodeSource } from '../../src/formats/text/format.ts';
import { FORMATS } from '../judges/index.ts';
import type { RecordingRow } from '../shared/recordings.ts';
import { problemsOfAnswer, problemsOfRelay, problemsOfStream, type Waiting, waitingClient } from './check-answers.ts';
import { problemsOfRequest } from './check-requests.ts';
import { mutatedBytes, pieces } from './mutate-bytes.ts';
import { mutatedJson } from './mutate-json.ts';
import { mutatedEvents, streamBytes } from './mutate-stream.ts';
import { jsonText } from './odd-values.ts';
import { Random } from './random.ts';
import { loadSamples, type Samples } from './samples.ts';
import { fuzzTargets } from './targets.ts';

/** A case that failed; `seed` reproduces it. */
export interface Finding {
  readonly seed: number;
  readonly about: string;
  readonly problems: readonly string[];
  /** The input of the case. */
  readonly input: string;
}

export type Kind = 'answers' | 'streams' | 'frames' | 'requests';
export const KINDS: readonly Kind[] = ['answers', 'streams', 'frames', 'requests'];

/** The limit of CPU time per case. No input has more than a few hundred kilobytes, so a slower case is a defect. */
const MAX_CPU_MS = 5_000;
/** The number of targets to which each request is encoded. */
const TARGETS_EACH = 6;

interface Case {
  readonly about: string;
  readonly bytes: Uint8Array;
  check(): readonly string[];
}

export class Campaign {
  private readonly samples: Samples;
  private readonly targets: readonly TextTarget[] = fuzzTargets();
  private readonly clients: readonly Waiting[];

  constructor(exchanges: readonly RecordingRow[], stride = 1) {
    this.samples = loadSamples(exchanges, stride);
    this.clients = this.samples.requests.flatMap(({ format, body }, index) => {
      const framing = format === 'gemini' && index % 3 === 0 ? 'json-array' : 'sse';
      return JSON.stringify(body).length > 8_000 ? [] : (waitingClient(format, body, framing) ?? []);
    });
  }

  /** Runs the case of a kind that a seed generates. Returns `null` if it passes. */
  run(kind: Kind, seed: number): Finding | null {
    const random = new Random(seed);
    const made = this.make(kind, random);
    const before = process.cpuUsage();
    let problems: readonly string[];
    try {
      problems = made.check();
    } catch (error) {
      const stack = error instanceof Error ? (error.stack ?? '').split('\n').slice(0, 8).join('\n') : '';
      problems = [`thrown: ${String(error)}\n${stack}`];
    }
    const { user, system } = process.cpuUsage(before);
    const cpuMs = (user + system) / 1_000;
    if (cpuMs > MAX_CPU_MS) problems = [...problems, `took ${Math.round(cpuMs)} ms for ${made.bytes.length} bytes`];
    if (problems.length === 0) return null;
    return { seed, about: made.about, problems, input: new TextDecoder().decode(made.bytes) };
  }

  private make(kind: Kind, random: Random): Case {
    switch (kind) {
      case 'answers':
        return this.answer(random);
      case 'streams':
        return this.stream(random);
      case 'frames':
        return this.framed(random);
      case 'requests':
        return this.request(random);
    }
  }

  private answer(random: Random): Case {
    const { name, format, body } = random.pick(this.samples.answers);
    const text = new TextEncoder().encode(jsonText(mutatedJson(body, random)));
    const bytes = random.chance(0.1) ? mutatedBytes(text, random) : text;
    const client = this.client(random);
    const isOwn = client.name === format && random.chance(0.5);
    return {
      about: `${name} to ${client.name}${isOwn ? ', relayed' : ''}`,
      bytes,
      check: () =>
        isOwn
          ? problemsOfRelay(bytes, false, client, random)
          : problemsOfAnswer(format, bytes, this.source(format, random), client),
    };
  }

  private stream(random: Random): Case {
    const { name, format, events } = random.pick(this.samples.streams);
    const bytes = streamBytes(mutatedEvents(events, random), random);
    const client = this.client(random);
    const isOwn = client.name === format && random.chance(0.5);
    return {
      about: `${name} to ${client.name}${isOwn ? ', relayed' : ''}`,
      bytes,
      check: () =>
        isOwn
          ? problemsOfRelay(bytes, true, client, random)
          : problemsOfStream(format, bytes, this.source(format, random), client, random),
    };
  }

  private framed(random: Random): Case {
    const { frames } = this.samples;
    const intact = frames.length === 0 ? new Uint8Array(64) : random.pick(frames);
    const bytes = random.chance(0.9) ? mutatedBytes(intact, random) : intact;
    const client = this.client(random);
    const format = random.pick(['bedrock-converse', 'anthropic-messages']);
    return {
      about: `frames to ${client.name} as ${format}`,
      bytes,
      check: () => {
        const unframing = new EventStreamToSse();
        const text = [...pieces(bytes, random).map((piece) => unframing.push(piece)), unframing.end()];
        return problemsOfStream(format, Buffer.concat(text), this.source(format, random), client, random);
      },
    };
  }

  private request(random: Random): Case {
    const { name, format, body } = random.pick(this.samples.requests);
    const text = new TextEncoder().encode(jsonText(mutatedJson(body, random)));
    const bytes = random.chance(0.1) ? mutatedBytes(text, random) : text;
    const targets = Array.from({ length: TARGETS_EACH }, () => random.pick(this.targets));
    const stream = random.chance(0.5);
    const isGemini = format === 'gemini';
    const call = {
      purpose: random.chance(0.9) ? 'generate' : 'count-tokens',
      model: isGemini ? 'a-model' : null,
      stream: isGemini ? stream : null,
      framing: 'sse',
    } as const;
    return {
      about: `${name} (${format})`,
      bytes,
      check: () => {
        const client = clientFormats.get(format);
        return client === undefined
          ? [`there is no format ${format}`]
          : problemsOfRequest(client, call, bytes, targets);
      },
    };
  }

  /** Each format is equally likely. */
  private client(random: Random): Waiting {
    const name = random.pick(FORMATS);
    return random.pick(this.clients.filter((client) => client.name === name));
  }

  private source(format: string, random: Random): DecodeSource {
    const target = random.pick(this.targets.filter(({ wire }) => wire.name === format));
    return { provider: target.channel.provider, channel: 'fuzz', quirks: target.encoding.quirks };
  }
}
